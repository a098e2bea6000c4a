/** Tells the audit trail what it must know about people and organizations. The app hands it in. */
export abstract class AuditDirectory {
  abstract databases(): readonly string[];
  /**
   * The database of the organization whose trail gets the entry. Entries about no organization
   * belong to `default`. It is undefined before that exists, and for a deleted organization, whose
   * trail is gone.
   */
  abstract database(organizationId: string | undefined): string | undefined;
  /**
   * The organization of a stream, also of a deleted one, by the name of its event stream. It is
   * undefined for other event streams, and before an event has told it.
   */
  abstract organizationOfStream(eventStream: string): string | undefined;
  /** Gives the e-mail; undefined for a person who is erased or unknown. */
  abstract email(userId: string): string | undefined;
  /** It is undefined once the person is erased. */
  abstract client(
    personId: string,
    sealed: string,
  ): { readonly address?: string | undefined; readonly userAgent?: string | undefined } | undefined;
  abstract erased(): readonly string[];
}
