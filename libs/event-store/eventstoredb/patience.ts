import { setTimeout as sleep } from 'node:timers/promises';
import { isPassing, SilenceError, toFailure } from './failure.js';

export interface PatienceLog {
  warn(details: object, message: string): void;
}

export interface PatienceOptions {
  /** How long one operation is tried again before its caller is told. Infinity: for ever. */
  readonly forMs: number;
  readonly signal: AbortSignal;
  readonly log: PatienceLog;
}

const BACKOFF_MS = { first: 20, most: 2000 };

/** When one operation may be tried again, with longer and longer pauses. */
export class Patience {
  private until: number;
  private pauseMs = BACKOFF_MS.first;

  constructor(private readonly options: PatienceOptions) {
    this.until = performance.now() + options.forMs;
  }

  /** It went on, so what fails next is another failure. */
  reset(): void {
    this.until = performance.now() + this.options.forMs;
    this.pauseMs = BACKOFF_MS.first;
  }

  /** Resolves when it is time to try again. @throws the failure as callers see it, when it is not worth it. */
  async after(error: unknown): Promise<void> {
    const { signal, log, forMs } = this.options;
    const lasting = !isPassing(error) && Number.isFinite(forMs);
    if (lasting || signal.aborted || performance.now() + this.pauseMs > this.until)
      throw toFailure(error);
    log.warn({ err: error, pauseMs: this.pauseMs }, 'the event store failed; it is tried again');
    const spread = this.pauseMs * (0.5 + Math.random());
    await sleep(spread, undefined, { signal }).catch(() => undefined);
    this.pauseMs = Math.min(2 * this.pauseMs, BACKOFF_MS.most);
  }
}

/** @throws {SilenceError} when it takes longer. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilenceError(milliseconds)), milliseconds);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
