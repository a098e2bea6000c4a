import type { Permission } from './permission.js';

/**
 * The sender of a request, as authentication has found. It is attached to the request as
 * `request.caller`.
 */
export interface Caller {
  /** The account's id. A token has no account, so it is `token <name> <id>`. */
  readonly userId: string;
  /** Empty for a token. */
  readonly email: string;
  readonly root: boolean;
  /** True when the caller has shown the organization's passcode and not the account's password. */
  readonly byPasscode: boolean;
  /** The token of the organization that the caller has shown. */
  readonly token?: CallerToken;
}

/** The rights that a token gives. */
interface CallerToken {
  /** The time when the token expires. */
  readonly organizationId: string;
  readonly may: readonly Permission[];
  /** The names of the streams that the token can see; none: all. */
  readonly streams?: ReadonlySet<string>;
}

/** The organization of the request's `:org` parameter; attached as `request.organization` once the caller may act in it. */
export interface RequestOrganization {
  readonly id: string;
  /** The name used in URLs. */
  readonly name: string;
  /** Physical warehouse database; not guessable, never shown to clients. */
  readonly database: string;
  /**
   * The share that takes turns: all organizations that the account of its founder founded, or the
   * organization alone.
   */
  readonly share: string;
  /** Tells whether the caller manages it, and so may see its audit trail. */
  readonly administered?: boolean;
  /** Names of the streams that exist for the caller; none: all. Ask {@link seesStream}. */
  readonly streams?: ReadonlySet<string>;
}

/** Tells whether the caller may know of this stream: if not, it does not exist for them. */
export function seesStream({ streams }: RequestOrganization, name: string): boolean {
  return streams === undefined || streams.has(name);
}
