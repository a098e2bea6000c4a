import { pause } from './pause.js';

interface BackoffLimits {
  /** Milliseconds of the first pause. */
  readonly first: number;
  /** Milliseconds of the longest pause, without what chance adds. */
  readonly most: number;
}

/**
 * Pauses between tries. Each pause is twice as long as the one before, up to a bound. Up to half of
 * it is added by chance, so that processes which failed at the same moment do not try again at the
 * same moment.
 */
export class Backoff {
  private next: number;

  constructor(private readonly limits: BackoffLimits) {
    this.next = limits.first;
  }

  /** The fewest milliseconds that the next pause can have. */
  get pauseMs(): number {
    return this.next;
  }

  /** Something went well, so the next pause is the first one again. */
  reset(): void {
    this.next = this.limits.first;
  }

  /** Draws the next pause for a caller that waits by other means. @returns milliseconds */
  take(): number {
    const least = this.next;
    this.next = Math.min(2 * least, this.limits.most);
    return least * (1 + Math.random() / 2);
  }

  /** Resolves after the next pause, or at once when the signal aborts. */
  wait(signal?: AbortSignal): Promise<void> {
    return pause(this.take(), signal);
  }
}
