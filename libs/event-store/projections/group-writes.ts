import { Backoff } from '@app/flow';
import type { Projection } from './projection.js';

interface GroupWritesLog {
  error(details: object, message: string): void;
}

interface Waiter {
  readonly count: number;
  readonly resolve: () => void;
}

const BACKOFF_MS = { first: 100, most: 5000 };

/**
 * Lets projections write in the background what they have been given, group by group: what came
 * while one group was written is the next one. What fails is tried again until it succeeds. It
 * counts the events, because they come out of order of their positions.
 */
export class GroupWrites {
  private wanted = 0;
  private written = 0;
  private failed: unknown;
  private readonly stopping = new AbortController();
  /** Cleared when the loop ends, and not later, so that later events start it again. */
  private isRunning = false;
  private running: Promise<void> | undefined;
  /**
   * The waiters have no lock of libs/flow, because a failure releases other waiters than progress
   * does.
   */
  private waiters: readonly Waiter[] = [];

  constructor(
    private readonly projections: readonly Projection[],
    private readonly log: GroupWritesLog,
  ) {}

  /** The reason why the current group fails and is tried again. */
  get failure(): unknown {
    return this.failed;
  }

  /** Tells how many events the projections have been given. */
  get count(): number {
    return this.wanted;
  }

  /** The projections have been given another event. */
  given(): void {
    this.wanted += 1;
    if (this.isRunning) return;
    this.isRunning = true;
    this.running = this.run();
  }

  /** Tells whether so many events are written. */
  isWritten(count: number): boolean {
    return this.written >= count;
  }

  /** Resolves when so many events are written, or it fails, or ends. */
  async settle(count: number): Promise<void> {
    if (this.isWritten(count) || this.failed !== undefined || !this.isRunning) return;
    await new Promise<void>((resolve) => {
      this.waiters = [...this.waiters, { count, resolve }];
    });
  }

  /** Ends with the group that is under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(BACKOFF_MS);
    try {
      while (this.written < this.wanted) {
        const count = this.wanted;
        try {
          for (const projection of this.projections) await projection.writeGroup?.();
          this.failed = undefined;
          this.written = count;
          backoff.reset();
        } catch (error) {
          this.failed = error;
          this.log.error({ err: error }, 'a projection failed; it is tried again');
        }
        this.tell();
        if (this.failed === undefined) continue;
        if (signal.aborted) return;
        await backoff.wait(signal);
      }
    } finally {
      this.isRunning = false;
      this.tell();
    }
  }

  private tell(): void {
    const isOver = ({ count }: Waiter): boolean =>
      this.failed !== undefined || !this.isRunning || this.isWritten(count);
    const over = this.waiters.filter(isOver);
    this.waiters = this.waiters.filter((waiter) => !isOver(waiter));
    for (const { resolve } of over) resolve();
  }
}
