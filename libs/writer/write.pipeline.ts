import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@app/flow';
import type { Delivery, IngestQueue, QueuedRecord, QueuePosition } from '@app/ingest-queue';
import { FencedError } from '@app/warehouse';
import { MillraceError, type Logger } from '@app/platform';
import { isRemoval, readRemoval, type RejectedRemoval } from './rejected-removal.js';
import type { DeadLetter } from './dead-letter.js';
import { groupBatches, type BatchGroup } from './group-batches.js';
import type { GroupInserter } from './insert-group.js';
import { LostPayloadError } from './lost-payload.js';
import { judgeAlone, TableRetryPolicy, MAX_WAIT_MS, type Verdict } from './table-retry-policy.js';
import type { WriteProgress } from './write-progress.js';

/**
 * The limits of a delivery from the queue; groups limit the size of an insert. Each table of a
 * delivery costs an insert, so of many small uploads to hundreds of tables a large delivery needs
 * fewer. It is not larger, because a stop waits for the end of the delivery.
 */
const DELIVERY = { maxRecords: 1024, maxBytes: 64 * 1024 * 1024 };
/** Inserts that run at once. */
const INSERTS = 2;
/**
 * The time for which small batches are gathered, and the interval of checks whether a request
 * waits.
 */
const LINGER_MS = 100;
const LINGER_STEP_MS = 5;
const SEEN_MS = 1000;
const SMALL_ROWS = 50_000;
const BACKOFF_MS = { first: 100, most: 10_000 };

/**
 * The way of a batch from the queue to the warehouse: receive → insert → commit.
 *
 * Exactly once: see {@link GroupInserter}. The commit comes after the insert, so a crash in between
 * delivers the batch again, and the read-back shows that it is stored. A batch that cannot be
 * inserted anywhere goes to the dead letter, alone, and holds nobody up; one whose table is not
 * there is waited for first, see {@link TableRetryPolicy}. The commit comes after the dead letter
 * too.
 */
export class WritePipeline {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** The time of the last small delivery, by partition. */
  private readonly seen = new Map<number, number>();
  private readonly retryPolicy: TableRetryPolicy;
  /** The positions in the current delivery that are set aside. */
  private aside: QueuePosition[] = [];

  constructor(
    private readonly queue: IngestQueue,
    private readonly inserter: GroupInserter,
    private readonly deadLetter: DeadLetter,
    private readonly progress: WriteProgress,
    private readonly logger: Logger,
    maxWaitMs = MAX_WAIT_MS,
  ) {
    this.retryPolicy = new TableRetryPolicy(maxWaitMs);
  }

  start(): void {
    this.running = this.run();
  }

  /** Finishes the current delivery, then stops. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** The tables that take no batches at the moment, although the warehouse answers. */
  get tablesWaitedFor(): number {
    return this.retryPolicy.waitedFor;
  }

  /** @throws {MillraceError} NOT_READY while batches wait for a table. */
  checkWriting(): void {
    if (this.tablesWaitedFor > 0)
      throw new MillraceError(
        'NOT_READY',
        `batches wait for ${this.tablesWaitedFor} tables that do not take them; the log says why`,
      );
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for await (const delivery of this.queue.consume({ ...DELIVERY, signal })) {
      const outcome = await this.write(delivery);
      if (outcome === 'stopped') return;
      if (outcome === 'fenced') {
        await delivery.release();
        continue;
      }
      if (!(await this.commit(delivery))) return;
      const isCrowded = this.queue.depth().records >= DELIVERY.maxRecords;
      if (isSmall(delivery) && !isCrowded) await this.linger(delivery);
    }
  }

  /**
   * Tries again until the work succeeds.
   * @returns false when it was stopped before.
   * @throws {FencedError}
   */
  private async insist(work: () => Promise<void>, failure: string): Promise<boolean> {
    const backoff = new Backoff(BACKOFF_MS);
    for (;;) {
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof FencedError) throw error;
        this.logger.error({ err: error }, failure);
      }
      await backoff.wait(this.stopping.signal);
      if (this.stopping.signal.aborted) return false;
    }
  }

  /**
   * A group that fails (for example on a full disk) is tried until it succeeds; rows that are
   * already stored are recognized by their position.
   */
  private commit(delivery: Delivery): Promise<boolean> {
    return this.insist(() => delivery.commit(this.aside), 'a commit to the ingest queue failed');
  }

  /**
   * Waits for more small batches, unless a request waits for them, because a part costs the same
   * for one row as for thousands. With several partitions, the wait of each one also delays the
   * others.
   */
  private async linger({ partition }: Delivery): Promise<void> {
    const now = performance.now();
    this.seen.set(partition, now);
    for (const [each, at] of this.seen) if (at < now - SEEN_MS) this.seen.delete(each);
    const until = now + LINGER_MS / this.seen.size;
    while (performance.now() < until && !this.progress.isAwaited && !this.stopping.signal.aborted) {
      await sleep(LINGER_STEP_MS);
    }
  }

  private async write(delivery: Delivery): Promise<'stored' | 'stopped' | 'fenced'> {
    try {
      return (await this.writeOnce(delivery)) ? 'stored' : 'stopped';
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      const { partition } = delivery;
      this.logger.info({ partition }, 'another writer has this partition now');
      return 'fenced';
    }
  }

  /** @returns false when it was stopped before everything was stored. @throws {FencedError} */
  private async writeOnce(delivery: Delivery): Promise<boolean> {
    const { records } = delivery;
    this.aside = [];
    if (!(await this.begin(delivery))) return false;
    const removals = records.filter(isRemoval);
    const { groups, unreadable } = groupBatches(records.filter((record) => !isRemoval(record)));
    for (const record of unreadable)
      if (!(await this.setAside(record, 'its headers are not those of a batch'))) return false;
    const left = [...groups];
    const worker = async (): Promise<boolean> => {
      for (let group = left.shift(); group; group = left.shift()) {
        if (!(await this.store(group))) return false;
      }
      return true;
    };
    // Waits for all of them, even if one fails, because no insert may be running when the records
    // come again.
    const done = await Promise.allSettled(Array.from({ length: INSERTS }, worker));
    const failed = done.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    if (!done.every((each) => each.status === 'fulfilled' && each.value)) return false;
    for (const removal of removals) if (!(await this.remove(removal))) return false;
    return true;
  }

  private begin(delivery: Delivery): Promise<boolean> {
    return this.insist(() => this.inserter.begin(delivery), 'a partition cannot be claimed');
  }

  private store(group: BatchGroup): Promise<boolean> {
    const { database, table } = group.table;
    const name = JSON.stringify([database, table, group.streamId]);
    return this.untilDone({
      work: async () => {
        await this.inserter.insert(group);
        this.retryPolicy.succeeded(name);
      },
      what: { table: group.table },
      judge: (error, tries) =>
        error instanceof LostPayloadError ? 'apart' : this.retryPolicy.judge(name, error, tries),
      giveUp: (error) => this.takeApart(group, error),
    });
  }

  /** A batch that was waited for with others is not waited for again. */
  private storeAlone(group: BatchGroup, record: QueuedRecord): Promise<boolean> {
    return this.untilDone({
      work: async () => {
        await this.inserter.insert(group);
      },
      what: { table: group.table },
      judge: (error, tries) =>
        error instanceof LostPayloadError ? 'give-up' : judgeAlone(error, tries),
      giveUp: (error) => this.setAside(record, reasonOf(error)),
    });
  }

  private async remove(record: QueuedRecord): Promise<boolean> {
    let removal: RejectedRemoval | undefined;
    try {
      removal = readRemoval(record);
    } catch (error) {
      return this.setAside(record, reasonOf(error));
    }
    if (!removal) return this.setAside(record, 'it says nothing that could be removed');
    const { database } = removal;
    const name = JSON.stringify([database]);
    return this.untilDone({
      work: async () => {
        await this.inserter.remove(removal);
        this.retryPolicy.succeeded(name);
      },
      what: { removal: record.headers },
      judge: (error, tries) => this.retryPolicy.judge(name, error, tries),
      giveUp: (error) => this.setAside(record, reasonOf(error)),
    });
  }

  /**
   * Tries temporary failures again, and gives up on others.
   * @returns false when it was stopped before.
   * @throws {FencedError}
   */
  private async untilDone({ work, what, judge, giveUp }: Attempt): Promise<boolean> {
    const backoff = new Backoff(BACKOFF_MS);
    for (let tries = 1; !this.stopping.signal.aborted || tries === 1;) {
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof FencedError) throw error;
        const verdict = judge(error, tries);
        this.logger.error({ err: error, ...what, tries, verdict }, 'a write failed');
        if (verdict === 'give-up' || verdict === 'apart') return giveUp(error);
        if (verdict === 'count') tries += 1;
      }
      await backoff.wait(this.stopping.signal);
      if (this.stopping.signal.aborted) return false;
    }
    return false;
  }

  /** Finds the faulty batch by splitting the group. */
  private async takeApart(group: BatchGroup, error: unknown): Promise<boolean> {
    const [first, ...more] = group.batches;
    if (first && more.length === 0) return this.setAside(first.record, reasonOf(error));
    for (const batch of group.batches) {
      if (!(await this.storeAlone({ ...group, batches: [batch] }, batch.record))) return false;
    }
    return true;
  }

  /**
   * Tries until the record is kept, because acknowledged data must not be lost for lack of room.
   */
  private setAside(record: QueuedRecord, reason: string): Promise<boolean> {
    this.logger.error({ position: positionOf(record), reason }, 'a batch is set aside');
    this.aside.push(record.position);
    return this.insist(
      () => this.deadLetter.keep(record, reason),
      'a batch cannot be kept in the dead letter; it is tried again',
    );
  }
}

interface Attempt {
  work(this: void): Promise<void>;
  /** The log entry for a set-aside batch. */
  readonly what: object;
  judge(this: void, error: unknown, tries: number): Verdict;
  giveUp(this: void, error: unknown): Promise<boolean>;
}

const positionOf = ({ position: { partition, offset } }: QueuedRecord): string =>
  `${partition}-${offset}`;

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

function isSmall({ records }: Delivery): boolean {
  return records.reduce((rows, { headers }) => rows + Number(headers.rows ?? 0), 0) < SMALL_ROWS;
}
