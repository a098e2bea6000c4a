import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@app/platform';
import { TableAsideError, type AuditRow, type AuditTables } from '@app/warehouse';
import { LAG_MS, LOOK_MS } from '../lost-time.js';
import { isBroken } from './last-position.js';

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

interface BehindLog {
  error(details: object, message: string): void;
}

/**
 * The tables of the trails for the process that writes them. A trail whose table the engine cannot
 * load falls behind, and nobody waits for it: its entries are in the events. It is written when a
 * later process can load the table, which must read the events from before the first entry that is
 * missing. So does one whose table refuses everything while stored events are replayed, for longer
 * than a node may lag: all others would wait for it. Commands are refused that this one concerns, since it may be mended any time,
 * and would have a gap then.
 */
export class TrailsBehind implements Omit<Written, 'dropAuditTable' | 'lastAuditPositions'> {
  private readonly behind = new Set<string>();
  /** The tables that have refused something, with their reasons. */
  private readonly broken = new Map<string, unknown>();
  /** When the first table refused something. */
  private refusedSince: number | undefined;

  constructor(
    private readonly tables: Written,
    private readonly isLive: () => boolean,
    private readonly log: BehindLog,
    private readonly lagMs = LAG_MS,
  ) {}

  /** Tells whether a trail lacks entries of events that were given. */
  get isAny(): boolean {
    return this.behind.size > 0;
  }

  /** Tells whether the tables have these entries, as far as they can be loaded. */
  async have(last: ReadonlyMap<string, { readonly position: bigint }>): Promise<boolean> {
    const there = await this.tables.lastAuditPositions();
    for (const [database, { position }] of last) {
      const isThere = BigInt(there.get(database) ?? -1) >= position;
      if (!isThere && !(await this.isBroken(database))) return false;
    }
    return true;
  }

  createAuditTable(database: string): Promise<void> {
    return this.written(database, () => this.tables.createAuditTable(database));
  }

  appendAudit(database: string, rows: readonly AuditRow[]): Promise<void> {
    return this.written(database, () => this.tables.appendAudit(database, rows));
  }

  lastAudit(database: string): Promise<AuditRow | undefined> {
    return this.written(database, () => this.tables.lastAudit(database));
  }

  /** Each start erases what is left. */
  async eraseFromAudit(database: string, personIds: readonly string[]): Promise<void> {
    if (this.behind.has(database)) return;
    await this.written(database, () => this.tables.eraseFromAudit(database, personIds));
  }

  /** A trail that is written again from its beginning does not need the table that it had. */
  async truncateAudit(database: string, position: string): Promise<void> {
    try {
      await this.tables.truncateAudit(database, position);
      await this.tables.lastAudit(database);
    } catch (error) {
      if (!isBroken(error)) throw error;
      if (BigInt(position) > 0n)
        throw new OperatorError(
          `the audit trail of the database ${database} cannot be read up to there: replay all of it, without --from`,
        );
      await this.tables.dropAuditTable(database);
      await this.tables.createAuditTable(database);
      this.behind.delete(database);
      this.broken.delete(database);
    }
  }

  private isBroken(database: string): Promise<boolean> {
    return this.tables.lastAudit(database).then(() => false, isBroken);
  }

  /** @returns undefined where the trail is behind */
  private async written<T>(database: string, work: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      if (this.broken.has(database)) return this.refused(database);
      try {
        return await work();
      } catch (error) {
        if (!isBroken(error)) throw error;
        const isAside = error instanceof TableAsideError;
        if (isAside) this.behind.add(database);
        else if (this.isLive()) throw error;
        else if (this.mayPass()) {
          await sleep(LOOK_MS);
          continue;
        } else this.breaks(database, error);
        return undefined;
      }
    }
  }

  /** A node that starts, or follows, may refuse a table for a while that it has. All of them are waited for together. */
  private mayPass(): boolean {
    this.refusedSince ??= performance.now();
    return performance.now() - this.refusedSince < this.lagMs;
  }

  private breaks(database: string, error: unknown): void {
    this.behind.add(database);
    this.broken.set(database, error);
    this.log.error(
      { err: error, database },
      'the audit trail of an organization is not written, since its table refuses it: its commands get 503, and all others go on (docs/operations.md, "Damaged definitions")',
    );
  }

  private refused(database: string): undefined {
    if (this.isLive()) throw this.broken.get(database);
    return undefined;
  }
}
