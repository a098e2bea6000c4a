import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, RecordedEvent } from '@app/event-store';
import { WarehouseError, type AuditRow, type AuditTables } from '@app/warehouse';
import type { AuditDirectory } from '../audit-directory.js';
import { audited, organizationOfEntry, toEntry } from '../audit-entry.js';
import { OF_LOST_TIME, type LostEntry } from '../reconciliation-events.js';
import { StreamOwners } from '../stream-owners.js';
import { isBroken } from '../trail/last-position.js';
import { CHAIN_START, chainHash, type ChainKey } from './hash-chain.js';

/** The result for the trail of one organization. */
export interface AuditVerdict {
  readonly database: string;
  readonly entries: number;
  /**
   * The hash of the last entry. If somebody notes it elsewhere, it proves later that nothing before
   * it changed.
   */
  readonly head: string;
  /** Entries whose own events are lost: see `reconciliation-events.ts`. */
  readonly ofLostTime: number;
  /** Tells which of the noted hashes are in the trail, also among the entries of the lost time. */
  readonly found: ReadonlySet<string>;
  /** Empty when the trail is what the events say. */
  readonly problems: readonly string[];
}

interface VerifyOptions {
  readonly key: ChainKey;
  /** Hashes that somebody kept. */
  readonly noted?: ReadonlySet<string>;
  /**
   * The entries up to this position are compared. Processes go on appending meanwhile, and their
   * later entries are not judged yet.
   */
  readonly upTo?: bigint | undefined;
  /** An entry may take this long to arrive in the table. */
  readonly carriedOutMs?: number;
  /** Only these trails are checked; undefined: all of them. */
  readonly databases?: readonly string[] | undefined;
  onProgress(this: void, position: bigint): void;
  /** Awaited between pieces of the work, so that other work gets its turn. */
  pause?(this: void): Promise<void>;
}

const PAGE = 5000;
/** Events between two pauses: some milliseconds. */
const PIECE = 256;
/** No event has position 0, but a row may. */
const BEFORE_ALL = '-1';
const PROBLEMS_MAX = 20;
/**
 * The entry of an event appears when the event is carried out. The check waits so long for it, in
 * total.
 */
const CARRIED_OUT_MS = 15_000;
const LOOK_MS = 100;

/**
 * Makes every chain again from the events and compares each row of `_audit` with it: its hash and
 * its readable columns. A changed event changes its hash and all after it; a changed row differs.
 */
export async function verifyAudit(
  events: EventStore,
  tables: AuditTables,
  directory: AuditDirectory,
  options: VerifyOptions,
): Promise<readonly AuditVerdict[]> {
  const { key, noted = new Set(), upTo, carriedOutMs = CARRIED_OUT_MS } = options;
  const trails = new Map<string, Trail>();
  const until = upTo === undefined ? undefined : performance.now() + carriedOutMs;
  for (const database of options.databases ?? directory.databases()) {
    const rows = new RowReader(tables, database, until);
    trails.set(database, new Trail(database, rows, noted, upTo));
  }
  const owners = new StreamOwners();
  let read = 0;
  for await (const event of events.readAll()) {
    read += 1;
    if (read % PIECE === 0) await options.pause?.();
    if (upTo !== undefined && event.position > upTo) break;
    const entry = audited(event);
    const database = entry && directory.database(organizationOfEntry(entry, owners.of));
    const trail = database === undefined ? undefined : trails.get(database);
    if (entry && trail) {
      const hash = chainHash(key(entry.position), trail.head, entry);
      trail.tellLost(entry);
      await trail.expect({ ...toEntry(entry, directory), previousHash: trail.head, hash });
    }
    owners.note(event);
    options.onProgress(event.position);
  }
  return Promise.all([...trails.values()].map((trail) => trail.end()));
}

class Trail {
  head = CHAIN_START;
  private entries = 0;
  private ofLostTime = 0;
  private readonly found = new Set<string>();
  private readonly problems: string[] = [];

  constructor(
    private readonly database: string,
    private readonly rows: RowReader,
    private readonly noted: ReadonlySet<string>,
    private readonly upTo: bigint | undefined,
  ) {}

  /** A person who noted a head of the lost time finds it. */
  tellLost({ type, data }: RecordedEvent): void {
    if (type !== OF_LOST_TIME) return;
    const { hash } = data as LostEntry;
    this.ofLostTime += 1;
    if (this.noted.has(hash)) this.found.add(hash);
  }

  async expect(wanted: AuditRow): Promise<void> {
    this.head = wanted.hash;
    this.entries += 1;
    if (this.noted.has(wanted.hash)) this.found.add(wanted.hash);
    let row = await this.rows.awaited();
    if (this.rows.fault !== undefined) return;
    while (row && BigInt(row.position) < BigInt(wanted.position)) {
      this.report(`position ${row.position}: an entry that no event has made`);
      this.rows.skip();
      row = await this.rows.awaited();
    }
    if (row?.position !== wanted.position) {
      this.report(`position ${wanted.position}: the entry of ${wanted.type} is missing`);
      return;
    }
    this.rows.skip();
    const changed = differences(wanted, row);
    if (changed.length > 0)
      this.report(`position ${wanted.position}: changed in ${changed.join(', ')}`);
  }

  async end(): Promise<AuditVerdict> {
    await this.rows.peek();
    if (this.rows.fault !== undefined) return this.verdict([this.rows.fault]);
    for (let row = await this.rows.peek(); row; row = await this.rows.peek()) {
      if (this.isJudged(row))
        this.report(`position ${row.position}: an entry that no event has made`);
      this.rows.skip();
    }
    const doubled = await this.rows.unread();
    if (doubled > 0) this.report(`${doubled} more at positions of others, which no event has made`);
    return this.verdict(this.problems);
  }

  private verdict(problems: readonly string[]): AuditVerdict {
    const { database, entries, ofLostTime, head, found } = this;
    return { database, entries, ofLostTime, head, found, problems };
  }

  private isJudged({ position }: AuditRow): boolean {
    return this.upTo === undefined || BigInt(position) <= this.upTo;
  }

  private report(problem: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push(problem);
  }
}

/** Reads a trail page by page. */
class RowReader {
  private page: readonly AuditRow[] = [];
  private next = 0;
  private last = BEFORE_ALL;
  private ended = false;
  private count = 0;
  /** The reason why the table cannot be read. It has no rows then. */
  fault: string | undefined;

  constructor(
    private readonly tables: AuditTables,
    private readonly database: string,
    /** Rows may still arrive until this time of `performance.now()`. */
    private readonly until = 0,
  ) {}

  /** Gives the next row, and waits for one that may still arrive. */
  async awaited(): Promise<AuditRow | undefined> {
    let row = await this.peek();
    while (!row && this.fault === undefined && performance.now() < this.until) {
      await sleep(LOOK_MS);
      this.ended = false;
      row = await this.peek();
    }
    return row;
  }

  async peek(): Promise<AuditRow | undefined> {
    if (this.next >= this.page.length && !this.ended) {
      this.page = await this.read();
      this.next = 0;
      this.last = this.page.at(-1)?.position ?? this.last;
      this.ended = this.page.length === 0;
      this.count += this.page.length;
    }
    return this.page[this.next];
  }

  skip(): void {
    this.next += 1;
  }

  private async read(): Promise<readonly AuditRow[]> {
    try {
      return await this.tables.auditAfter(this.database, this.last, PAGE);
    } catch (error) {
      if (!isBroken(error)) throw error;
      this.fault = error instanceof WarehouseError ? error.told : (error as Error).message;
      return [];
    }
  }

  /** Counts, at the end, rows with the position of a page's last one: the next page begins after it. */
  async unread(): Promise<number> {
    for (;;) {
      const { total } = await this.tables.auditPage(this.database, { offset: 0, limit: 1 });
      const counted = this.count;
      // An entry that arrived since the last look is not a double of another one.
      this.ended = false;
      while (await this.peek()) this.skip();
      if (this.count === counted) return total - this.count;
    }
  }
}

function differences(wanted: AuditRow, row: AuditRow): string[] {
  return (Object.keys(wanted) as (keyof AuditRow)[]).filter((field) =>
    field === 'occurredAt'
      ? Date.parse(wanted.occurredAt) !== Date.parse(row.occurredAt)
      : wanted[field] !== row[field],
  );
}
