import { setTimeout as sleep } from 'node:timers/promises';

interface BackoffLimits {
  /** Milliseconds of the first pause. */
  readonly first: number;
  /** Milliseconds of the longest pause. */
  readonly most: number;
}

/**
 * Pauses between tries. Each pause may be twice as long as the one before, up to a bound. A pause
 * is drawn between half of that and all of it, so that processes which failed at the same moment do
 * not try again at the same moment.
 */
export class Backoff {
  private next: number;

  constructor(private readonly limits: BackoffLimits) {
    this.next = limits.first;
  }

  /** The most milliseconds that the next pause can have. */
  get pauseMs(): number {
    return this.next;
  }

  /** Something went well, so the next pause is the first one again. */
  reset(): void {
    this.next = this.limits.first;
  }

  /** Draws the next pause for a caller that waits by other means. @returns milliseconds */
  take(): number {
    const most = this.next;
    this.next = Math.min(2 * most, this.limits.most);
    return (most * (1 + Math.random())) / 2;
  }

  /** Resolves after the next pause, or at once when the signal aborts. */
  async wait(signal?: AbortSignal): Promise<void> {
    const stopped = signal === undefined ? {} : { signal };
    await sleep(this.take(), undefined, stopped).catch(() => undefined);
  }
}
