import { setTimeout as delay } from 'node:timers/promises';
import { within, type Pool } from '@app/flow';
import type { QueryProgress } from '../../warehouse.js';
import { WarehouseError } from '../../warehouse-errors.js';
import type { ReadingThread } from '../reading-thread.js';
import type { RunningQueries } from '../running-queries.js';

interface LeaseTerms {
  /** The query's id in the engine's list of running queries. */
  readonly id: string;
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal;
  readonly onSample?: (progress: QueryProgress) => void;
}

/** The engine enforces the time limit itself, except within one constant expression. */
const GRACE_SECONDS = 2;
/** A reader that takes nothing for so long loses its place to others. */
const STALL_MS = 30_000;
/** A query that was ended before the engine lists it is ended again. */
const AGAIN_MS = 50;
const PROGRESS_MS = 50;
const SAMPLE_MS = 200;

/**
 * Gives a reading thread to one query. The thread returns to the pool when the engine has finished
 * the query.
 */
export class Lease {
  private pending: Promise<unknown> | undefined;
  private gone: Promise<void> | undefined;
  private told = noop;
  private failure: WarehouseError | undefined;
  private stall: NodeJS.Timeout | undefined;
  /** The rows and bytes that earlier runs have read. */
  private earlier: QueryProgress = { rowsRead: 0, bytesRead: 0 };
  private latest = this.earlier;
  private readonly sampling: NodeJS.Timeout | undefined;
  private readonly onAbort = (): void => void this.end();

  constructor(
    private readonly thread: ReadingThread,
    private readonly pool: Pool<ReadingThread>,
    private readonly running: RunningQueries,
    private readonly terms: LeaseTerms,
  ) {
    terms.signal?.addEventListener('abort', this.onAbort, { once: true });
    const { onSample } = terms;
    if (onSample) this.sampling = setInterval(() => void this.report(onSample), SAMPLE_MS).unref();
  }

  get id(): string {
    return this.terms.id;
  }

  /**
   * Runs one step of the thread.
   * @throws {WarehouseError} 159 when it takes much longer than any query may
   */
  async work<T>(
    step: (thread: ReadingThread) => Promise<T>,
    onProgress?: (progress: QueryProgress) => void,
  ): Promise<T> {
    this.terms.signal?.throwIfAborted();
    this.live();
    const result = step(this.thread);
    const settled = result.then(noop, noop);
    this.pending = settled;
    void settled.then(() => {
      if (this.pending === settled) this.pending = undefined;
    });
    if (onProgress) void this.reportUntil(settled, onProgress);
    return within((this.terms.timeoutSeconds + GRACE_SECONDS) * 1000, result, () => {
      throw new WarehouseError(159, 'TIMEOUT_EXCEEDED', 'the engine is still at work');
    });
  }

  /** @throws {WarehouseError} if the query was ended: 159 when nobody took its result, else 394 */
  live(): void {
    if (this.failure) throw this.failure;
    if (this.gone) throw new WarehouseError(394, 'QUERY_WAS_CANCELLED', 'the query was ended');
  }

  /** The reader has its block; from now on it may stall. */
  idle(): void {
    this.stall = setTimeout(() => {
      this.failure = new WarehouseError(159, 'TIMEOUT_EXCEEDED', 'nobody takes the result');
      void this.end();
    }, STALL_MS);
    this.stall.unref();
  }

  busy(): void {
    clearTimeout(this.stall);
    if (this.failure) throw this.failure;
  }

  /** Gives the numbers of rows and bytes that the engine has read so far. */
  async report(onProgress: (progress: QueryProgress) => void): Promise<void> {
    const { earlier } = this;
    const progress = await this.running.progress(this.id);
    if (!progress) return;
    this.latest = {
      rowsRead: earlier.rowsRead + progress.rowsRead,
      bytesRead: earlier.bytesRead + progress.bytesRead,
    };
    onProgress(this.latest);
  }

  /** The statement runs once more, so its earlier reading counts too. */
  again(): void {
    this.earlier = this.latest;
  }

  /** Stops the query if it still runs. Resolves when the engine has finished it. */
  end(): Promise<void> {
    return (this.gone ??= this.giveBack());
  }

  onGone(listener: () => void): void {
    this.told = listener;
  }

  private async giveBack(): Promise<void> {
    clearTimeout(this.stall);
    clearInterval(this.sampling);
    this.terms.signal?.removeEventListener('abort', this.onAbort);
    for (;;) {
      // A block that comes without a request could be mistaken for an answer to the next query.
      const work = this.pending ?? this.thread.owed();
      if (!work) break;
      await this.running.kill(this.id);
      await Promise.race([work, delay(AGAIN_MS)]);
    }
    await this.thread.leave().catch(noop);
    this.pool.release(this.thread);
    this.told();
  }

  private async reportUntil(
    settled: Promise<unknown>,
    onProgress: (progress: QueryProgress) => void,
  ): Promise<void> {
    let working = true;
    void settled.then(() => (working = false));
    for (;;) {
      await Promise.race([settled, delay(PROGRESS_MS)]);
      if (!working) return;
      await this.report(onProgress);
    }
  }
}

function noop(): void {
  // The waiting code gets the error; nobody else needs it.
}
