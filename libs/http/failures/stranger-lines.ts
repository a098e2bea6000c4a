import { WindowLimiter } from '@app/flow';
import type { Logger } from '@app/platform';

/** The lines of one log are one key; nobody chooses it. */
const LINES = { windowMs: 60_000, most: 300, keysMax: 1 };
const KEY = 'strangers';

/**
 * Bounds the lines about requests of callers who did not log in, which anybody can send: without a
 * bound, strangers could fill the disk that has the log.
 */
export class StrangerLines {
  private readonly limiter: WindowLimiter;

  constructor(now: () => number = () => performance.now()) {
    this.limiter = new WindowLimiter(LINES, now);
  }

  /** Tells whether one more may be written; the first of a minute tells how many were not. */
  admit(logger: Logger): boolean {
    const left = this.limiter.take(KEY);
    if (left !== undefined && left > 0)
      logger.warn({ requests: left }, 'more requests without a login have failed than are logged');
    return left !== undefined;
  }
}
