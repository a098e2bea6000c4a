import { setTimeout as sleep } from 'node:timers/promises';

export interface BackoffLimits {
  /** Milliseconds of the first pause. */
  readonly first: number;
  /** Milliseconds of the longest pause. */
  readonly most: number;
}

/** Pauses between tries. Each pause is twice as long as the one before, up to a bound. */
export class Backoff {
  private next: number;

  constructor(private readonly limits: BackoffLimits) {
    this.next = limits.first;
  }

  /** Milliseconds of the pause that comes next. */
  get pauseMs(): number {
    return this.next;
  }

  /** Something went well, so the next pause is the first one again. */
  reset(): void {
    this.next = this.limits.first;
  }

  /**
   * Resolves after the pause, or at once when the signal aborts.
   * @param spread multiplies the pause, so that several processes do not try at the same moment
   */
  async wait(signal: AbortSignal, spread = 1): Promise<void> {
    const pause = this.next * spread;
    this.next = Math.min(2 * this.next, this.limits.most);
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}
