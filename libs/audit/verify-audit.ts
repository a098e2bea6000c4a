import type { EventStore } from '@app/event-store';
import type { AuditRow, AuditTables } from '@app/warehouse';
import type { AuditDirectory } from './audit-directory.js';
import { audited, toEntry } from './audit-entry.js';
import { CHAIN_START, chainHash } from './hash-chain.js';

/** What was found out about one organization's trail. */
export interface AuditVerdict {
  readonly database: string;
  readonly entries: number;
  /** Hash of the last entry: noted elsewhere, it proves later that nothing before it changed. */
  readonly head: string;
  /** Which of the noted hashes are in it. */
  readonly found: ReadonlySet<string>;
  /** Empty when the trail is what the events say. */
  readonly problems: readonly string[];
}

export interface VerifyOptions {
  readonly key: Uint8Array;
  /** Hashes that somebody kept. */
  readonly noted?: ReadonlySet<string>;
  onProgress(this: void, position: bigint): void;
}

const PAGE = 5000;
/** No event has position 0, but a row may. */
const BEFORE_ALL = '-1';
const PROBLEMS_MAX = 20;

/**
 * Makes every chain again from the events and compares each row of `_audit` with it: hashes, and
 * what people read. A changed event changes its hash and all after it; a changed row differs.
 */
export async function verifyAudit(
  events: EventStore,
  tables: AuditTables,
  directory: AuditDirectory,
  { key, noted = new Set(), onProgress }: VerifyOptions,
): Promise<readonly AuditVerdict[]> {
  const trails = new Map<string, Trail>();
  for (const database of directory.databases())
    trails.set(database, new Trail(database, new RowReader(tables, database), noted));
  for await (const event of events.readAll()) {
    const entry = audited(event);
    const database = entry && directory.database(entry.metadata.organizationId);
    const trail = database === undefined ? undefined : trails.get(database);
    if (entry && trail) {
      const hash = chainHash(key, trail.head, entry);
      await trail.expect({ ...toEntry(entry, directory), previousHash: trail.head, hash });
    }
    onProgress(event.position);
  }
  return Promise.all([...trails.values()].map((trail) => trail.end()));
}

class Trail {
  head = CHAIN_START;
  private entries = 0;
  private readonly found = new Set<string>();
  private readonly problems: string[] = [];

  constructor(
    private readonly database: string,
    private readonly rows: RowReader,
    private readonly noted: ReadonlySet<string>,
  ) {}

  async expect(wanted: AuditRow): Promise<void> {
    this.head = wanted.hash;
    this.entries += 1;
    if (this.noted.has(wanted.hash)) this.found.add(wanted.hash);
    let row = await this.rows.peek();
    while (row && BigInt(row.position) < BigInt(wanted.position)) {
      this.report(`position ${row.position}: an entry that no event has made`);
      this.rows.skip();
      row = await this.rows.peek();
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
    for (let row = await this.rows.peek(); row; row = await this.rows.peek()) {
      this.report(`position ${row.position}: an entry that no event has made`);
      this.rows.skip();
    }
    const doubled = await this.rows.unread();
    if (doubled > 0) this.report(`${doubled} more at positions of others, which no event has made`);
    const { database, entries, head, found, problems } = this;
    return { database, entries, head, found, problems };
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

  constructor(
    private readonly tables: AuditTables,
    private readonly database: string,
  ) {}

  async peek(): Promise<AuditRow | undefined> {
    if (this.next >= this.page.length && !this.ended) {
      this.page = await this.tables.auditAfter(this.database, this.last, PAGE);
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

  /** At the end: rows with the position of a page's last one, which the next page begins after. */
  async unread(): Promise<number> {
    const { total } = await this.tables.auditPage(this.database, { offset: 0, limit: 1 });
    return total - this.count;
  }
}

function differences(wanted: AuditRow, row: AuditRow): string[] {
  return (Object.keys(wanted) as (keyof AuditRow)[]).filter((field) =>
    field === 'occurredAt'
      ? Date.parse(wanted.occurredAt) !== Date.parse(row.occurredAt)
      : wanted[field] !== row[field],
  );
}
