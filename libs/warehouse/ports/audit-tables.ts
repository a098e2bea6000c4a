/** One entry of an organization's audit trail, as it stands in its table `_audit`. */
export interface AuditRow {
  /** The position of the event in the event store, as decimal digits. */
  readonly position: string;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  readonly type: string;
  readonly outcome: 'done' | 'refused' | 'failed' | 'not ours' | 'lost';
  /** E-mail of the person who acted, or `system` or `anonymous`; empty once erased. */
  readonly actor: string;
  readonly actorId: string;
  /** The e-mail of the person that the event is about, if any; empty once erased. */
  readonly subject: string;
  readonly subjectId: string;
  readonly address: string;
  readonly userAgent: string;
  readonly requestId: string;
  /** The event stream. */
  readonly stream: string;
  /** JSON; nothing personal, nothing secret. */
  readonly data: string;
  readonly previousHash: string;
  readonly hash: string;
}

export interface AuditFilter {
  readonly offset: number;
  readonly limit: number;
  readonly type?: string;
  /** E-mail or id. */
  readonly actor?: string;
  readonly outcome?: AuditRow['outcome'];
  /** The name of a stream, which may be deleted, or of an event stream. */
  readonly stream?: string;
  /** The hash of one entry. */
  readonly hash?: string;
  /** Microseconds since the epoch, included. */
  readonly start?: number;
  /** Microseconds since the epoch, left out. */
  readonly end?: number;
}

/** The table `_audit` of each organization's database, one row an event, in order of position. */
export abstract class AuditTables {
  /** Creates the table, and the database if it is missing. May be called again. */
  abstract createAuditTable(database: string): Promise<void>;
  /**
   * Claims the tables. From then on no other process appends anything, not even with an append that
   * has begun, so entries that are read afterwards are final. It does nothing when only one process
   * has the tables.
   */
  abstract claimAudit(): Promise<void>;
  /** Tells whether no other process has claimed since this process did. */
  abstract holdsAudit(): Promise<boolean>;
  /** Tells whether a table of this database is being made, changed or dropped, by whatever process. */
  abstract isChanging(database: string): Promise<boolean>;
  /**
   * Appends entries, all or none. They are durable and visible when it resolves. After a failure,
   * the caller must read which entries exist.
   * @throws {FencedError} when another process has claimed since; nothing is stored then.
   */
  abstract appendAudit(database: string, rows: readonly AuditRow[]): Promise<void>;
  /** The last entry; undefined while the trail is empty. */
  abstract lastAudit(database: string): Promise<AuditRow | undefined>;
  /** The position of the last entry of all trails; undefined while all trails are empty. */
  abstract lastAuditPosition(): Promise<string | undefined>;
  /** The position of the last entry of each trail that has any, by its database. */
  abstract lastAuditPositions(): Promise<ReadonlyMap<string, string>>;
  /** The newest entry comes first. */
  abstract auditPage(
    database: string,
    filter: AuditFilter,
  ): Promise<{ readonly rows: readonly AuditRow[]; readonly total: number }>;
  /** The names that streams were created with, by their event streams. */
  abstract namesOfStreams(
    database: string,
    eventStreams: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
  /** The entries after a position, the oldest first. */
  abstract auditAfter(
    database: string,
    position: string,
    limit: number,
  ): Promise<readonly AuditRow[]>;
  /** Blanks names and addresses of these people, in every entry. May be repeated. */
  abstract eraseFromAudit(database: string, personIds: readonly string[]): Promise<void>;
  /** Drops the table, also one that cannot be loaded. */
  abstract dropAuditTable(database: string): Promise<void>;
  /** Deletes every entry after a position. */
  abstract truncateAudit(database: string, position: string): Promise<void>;
}
