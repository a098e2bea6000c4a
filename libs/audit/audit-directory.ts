/** Tells the audit trail what it must know about people and organizations. The app hands it in. */
export abstract class AuditDirectory {
  abstract databases(): readonly string[];
  /**
   * The database of the organization, or, for what concerns none, of `default`; undefined before that exists, and
   * for an organization that is deleted, whose trail went with it.
   */
  abstract database(organizationId: string | undefined): string | undefined;
  /**
   * The organization of a stream, by the name of its event stream: also of one that was deleted.
   * Undefined for other event streams, and before an event tells.
   */
  abstract organizationOfStream(eventStream: string): string | undefined;
  /** Gives the e-mail; undefined for somebody erased or unknown. */
  abstract email(userId: string): string | undefined;
  /** It is undefined once the person is erased. */
  abstract client(
    personId: string,
    sealed: string,
  ): { readonly address?: string | undefined; readonly userAgent?: string | undefined } | undefined;
  abstract erased(): readonly string[];
}
