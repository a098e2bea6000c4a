import { Backoff } from '@app/flow';
import type { Projection } from './projection.js';

interface GroupWritesLog {
  error(details: object, message: string): void;
}

interface Waiter {
  readonly position: bigint;
  readonly resolve: () => void;
}

const BACKOFF_MS = { first: 100, most: 5000 };

/**
 * Lets projections write their events in the background, in groups: events that come while one
 * group is written are the next one. A group that fails is tried again until it succeeds.
 */
export class GroupWrites {
  private wanted = 0n;
  private written = 0n;
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

  /** Says that all events up to this position were written before. */
  startAt(position: bigint): void {
    this.wanted = this.written = position;
  }

  /** The projections have been given everything up to here. */
  given(position: bigint): void {
    this.wanted = position;
    if (this.isRunning) return;
    this.isRunning = true;
    this.running = this.run();
  }

  isWritten(position: bigint): boolean {
    return this.written >= position;
  }

  /** Resolves when everything up to here is written, or it fails, or ends. */
  async settle(position: bigint): Promise<void> {
    if (this.isWritten(position) || this.failed !== undefined || !this.isRunning) return;
    await new Promise<void>((resolve) => {
      this.waiters = [...this.waiters, { position, resolve }];
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
        const position = this.wanted;
        try {
          for (const projection of this.projections) await projection.writeGroup?.();
          this.failed = undefined;
          this.written = position;
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
    const isOver = ({ position }: Waiter): boolean =>
      this.failed !== undefined || !this.isRunning || this.isWritten(position);
    const over = this.waiters.filter(isOver);
    this.waiters = this.waiters.filter((waiter) => !isOver(waiter));
    for (const { resolve } of over) resolve();
  }
}
