/** Who sent a request, as authentication found out. Attached to the request as `request.caller`. */
export interface Caller {
  readonly userId: string;
  readonly email: string;
  readonly root: boolean;
  /** Known by the organization's passcode, not by the account's password. */
  readonly byPasscode: boolean;
}

/** The organization of the request's `:org` parameter; attached as `request.organization` once the caller may act in it. */
export interface RequestOrganization {
  readonly id: string;
  /** The name used in URLs. */
  readonly name: string;
  /** Physical warehouse database; not guessable, never shown to clients. */
  readonly database: string;
  /** Whose turns it takes: those of the account that founded it, or made its founder, with all its others; else its own. */
  readonly share: string;
  /** Whether the caller manages it, and so may see its audit trail. */
  readonly administered?: boolean;
}
