import { Backoff, within } from '@app/flow';
import { isPassing, SilenceError, toFailure, unreachable } from './eventstoredb-failure.js';
import type { Presence } from './presence.js';

interface RetryOptions {
  /**
   * The operation is tried again until it succeeds, however long the server is away. A subscription
   * needs this.
   */
  readonly endless?: boolean;
  readonly presence: Presence;
  /** Leaves a node that is silent, for another one of the cluster. */
  readonly leaveNode: () => void;
  readonly signal: AbortSignal;
}

const BACKOFF_MS = { first: 20, most: 2000 };

/**
 * When one operation may be tried again, with longer and longer pauses: while the server was there
 * a moment ago, as when a cluster elects its leader.
 */
export class RetryPolicy {
  private until: number;
  private readonly backoff = new Backoff(BACKOFF_MS);

  constructor(private readonly options: RetryOptions) {
    this.until = this.end();
  }

  /** @throws {MillraceError} NOT_READY at once, where the server has been away for long */
  begin(): void {
    const { endless = false, presence } = this.options;
    if (!endless && presence.waitLeftMs === 0) throw unreachable();
  }

  /** The operation made progress, so the next failure is a new one. */
  reset(): void {
    this.options.presence.heard();
    this.until = this.end();
    this.backoff.reset();
  }

  /** Resolves when it is time to try again. @throws the failure as callers see it, when it is not worth it. */
  async after(error: unknown): Promise<void> {
    const { signal, presence, leaveNode, endless = false } = this.options;
    if (error instanceof SilenceError) leaveNode();
    const passing = isPassing(error);
    if (passing || endless) presence.missed(error);
    else presence.heard();
    // The limit also holds for a single operation: one that keeps failing while others succeed is
    // given up.
    const until = Math.min(this.until, performance.now() + presence.waitLeftMs);
    const isLate = !endless && (!passing || performance.now() + this.backoff.pauseMs > until);
    if (isLate || signal.aborted) throw toFailure(error);
    await this.backoff.wait(signal);
  }

  private end(): number {
    return performance.now() + this.options.presence.waitLeftMs;
  }
}

/** @throws {SilenceError} when it takes longer. */
export const unlessSilent = <T>(milliseconds: number, work: Promise<T>): Promise<T> =>
  within(milliseconds, work, () => {
    throw new SilenceError(milliseconds);
  });
