import { OperatorError } from '@app/platform';
import { TableAsideError, type AuditRow, type AuditTables } from '@app/warehouse';

type Written = Pick<
  AuditTables,
  | 'createAuditTable'
  | 'appendAudit'
  | 'lastAudit'
  | 'lastAuditPositions'
  | 'eraseFromAudit'
  | 'truncateAudit'
  | 'dropAuditTable'
>;

/**
 * The tables of the trails for the process that writes them. A trail whose table the engine cannot
 * load falls behind, and nobody waits for it: its entries are in the events. It is written when a
 * later process can load the table, which must read the events from before the first entry that is
 * missing.
 */
export class TrailsBehind implements Omit<Written, 'dropAuditTable' | 'lastAuditPositions'> {
  private readonly behind = new Set<string>();

  constructor(private readonly tables: Written) {}

  /** Tells whether a trail lacks entries of events that were given. */
  get isAny(): boolean {
    return this.behind.size > 0;
  }

  /** Tells whether the tables have these entries, as far as they can be loaded. */
  async have(last: ReadonlyMap<string, { readonly position: bigint }>): Promise<boolean> {
    const there = await this.tables.lastAuditPositions();
    for (const [database, { position }] of last) {
      const isThere = BigInt(there.get(database) ?? -1) >= position;
      if (!isThere && !(await this.isAside(database))) return false;
    }
    return true;
  }

  createAuditTable(database: string): Promise<void> {
    return this.unlessAside(database, () => this.tables.createAuditTable(database), undefined);
  }

  appendAudit(database: string, rows: readonly AuditRow[]): Promise<void> {
    return this.unlessAside(database, () => this.tables.appendAudit(database, rows), undefined);
  }

  lastAudit(database: string): Promise<AuditRow | undefined> {
    return this.unlessAside(database, () => this.tables.lastAudit(database), undefined);
  }

  /** Each start erases what is left. */
  eraseFromAudit(database: string, personIds: readonly string[]): Promise<void> {
    return this.unlessAside(
      database,
      () => this.tables.eraseFromAudit(database, personIds),
      undefined,
    );
  }

  /** A trail that is written again from its beginning does not need the table that it had. */
  async truncateAudit(database: string, position: string): Promise<void> {
    try {
      await this.tables.truncateAudit(database, position);
    } catch (error) {
      if (!(error instanceof TableAsideError)) throw error;
      if (BigInt(position) > 0n)
        throw new OperatorError(
          `the audit trail of the database ${database} cannot be read up to there: replay all of it, without --from`,
        );
      await this.tables.dropAuditTable(database);
      await this.tables.createAuditTable(database);
      this.behind.delete(database);
    }
  }

  private isAside(database: string): Promise<boolean> {
    return this.tables.lastAudit(database).then(
      () => false,
      (error: unknown) => error instanceof TableAsideError,
    );
  }

  private async unlessAside<T>(database: string, work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TableAsideError)) throw error;
      this.behind.add(database);
      return otherwise;
    }
  }
}
