import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery, IngestQueue, QueuedRecord } from '@app/ingest-queue';
import type { Logger } from '@app/platform';
import { FencedError, passes, WarehouseError } from '@app/warehouse';
import { isRemoval, readRemoval } from '../rejected-removal.js';
import type { DeadLetter } from './dead-letter.js';
import { groupBatches, type BatchGroup } from './group-batches.js';
import type { GroupInserter } from './insert-group.js';
import type { WriteProgress } from './write-progress.js';

/** A delivery is bounded in what it takes from the queue; groups bound what an insert takes. */
const DELIVERY = { maxRecords: 256, maxBytes: 64 * 1024 * 1024 };
/** Inserts that run at once. */
const INSERTS = 2;
/** How long small batches are gathered, and how often it is looked whether somebody waits. */
const LINGER_MS = 100;
const LINGER_STEP_MS = 5;
const SEEN_MS = 1000;
const SMALL_ROWS = 50_000;
const BACKOFF_MS = { first: 100, most: 10_000 };
/** Tries before a batch that fails for a reason of its own is given up. */
const TRIES = 3;

/**
 * The way of a batch from the queue to the warehouse: receive → insert → commit.
 *
 * Exactly once: see {@link GroupInserter}. The commit comes after the insert, so a crash in
 * between delivers the batch again, and the read-back finds it stored. A batch that the warehouse
 * refuses for a reason that will not pass goes to the dead letter, alone, and holds nobody up.
 */
export class WritePipeline {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** When a small delivery of a partition came last. */
  private readonly seen = new Map<number, number>();

  constructor(
    private readonly queue: IngestQueue,
    private readonly inserter: GroupInserter,
    private readonly deadLetter: DeadLetter,
    private readonly progress: WriteProgress,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.running = this.run();
  }

  /** Finishes the delivery in work, then stops. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
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
      if (isSmall(delivery)) await this.linger(delivery);
    }
  }

  /** Until it succeeds. @returns false when it was stopped before. @throws {FencedError} */
  private async insist(work: () => Promise<void>, failure: string): Promise<boolean> {
    for (let backoff = BACKOFF_MS.first; ; backoff = Math.min(backoff * 2, BACKOFF_MS.most)) {
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof FencedError) throw error;
        this.logger.error({ err: error }, failure);
      }
      await sleep(backoff, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return false;
    }
  }

  /** One that fails (a full disk) is tried until it succeeds: what is stored is known by its position. */
  private commit(delivery: Delivery): Promise<boolean> {
    return this.insist(() => delivery.commit(), 'a commit to the ingest queue failed');
  }

  /**
   * Lets small batches come together, unless somebody waits for them: a part costs the same for
   * one row as for thousands. With several partitions, each one's wait is the others' too.
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
    if (!(await this.begin(delivery))) return false;
    const removals = records.filter(isRemoval);
    const { groups, unreadable } = groupBatches(records.filter((record) => !isRemoval(record)));
    for (const record of unreadable)
      await this.deadLetter.keep(record, 'its headers are not those of a batch');
    const left = [...groups];
    const worker = async (): Promise<boolean> => {
      for (let group = left.shift(); group; group = left.shift()) {
        if (!(await this.store(group))) return false;
      }
      return true;
    };
    // All of them, also when one fails: nothing may be at work when the records come again.
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
    return this.untilDone(
      () => this.inserter.insert(group),
      { table: group.table },
      (error) => this.giveUp(group, error),
    );
  }

  private remove(record: QueuedRecord): Promise<boolean> {
    const work = async (): Promise<void> => {
      const removal = readRemoval(record);
      if (removal) await this.inserter.remove(removal);
    };
    return this.untilDone(work, { removal: record.headers }, async (error) => {
      await this.deadLetter.keep(record, reasonOf(error));
      return true;
    });
  }

  /** Tries again what may pass by itself, and gives up what does not. @returns false when it was stopped before. @throws {FencedError} */
  private async untilDone(
    work: () => Promise<void>,
    what: object,
    giveUp: (error: unknown) => Promise<boolean>,
  ): Promise<boolean> {
    let backoff = BACKOFF_MS.first;
    for (let attempt = 1; !this.stopping.signal.aborted || attempt === 1;) {
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof FencedError) throw error;
        const verdict = judge(error, attempt);
        this.logger.error({ err: error, ...what, attempt, verdict }, 'a write failed');
        if (verdict === 'give-up') return giveUp(error);
        if (verdict === 'count') attempt += 1;
      }
      await sleep(backoff, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return false;
      backoff = Math.min(backoff * 2, BACKOFF_MS.most);
    }
    return false;
  }

  /** Finds the batch that is at fault by taking the group apart. */
  private async giveUp(group: BatchGroup, error: unknown): Promise<boolean> {
    const [first] = group.batches;
    if (group.batches.length === 1 && first) {
      await this.deadLetter.keep(first.record, reasonOf(error));
      return true;
    }
    for (const batch of group.batches) {
      if (!(await this.store({ ...group, batches: [batch] }))) return false;
    }
    return true;
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

function isSmall({ records }: Delivery): boolean {
  return records.reduce((rows, { headers }) => rows + Number(headers.rows ?? 0), 0) < SMALL_ROWS;
}

function judge(error: unknown, attempt: number): 'give-up' | 'count' | 'wait' {
  if (!(error instanceof WarehouseError)) return 'wait';
  if (passes(error)) return 'wait';
  return attempt < TRIES ? 'count' : 'give-up';
}
