import { RateLimiter } from '@app/flow';
import { MillraceError } from '@app/platform';

/** People and programs need far fewer changes; a caller in a loop is stopped. */
const PACE = { perSecond: 5, burst: 5000 };

/**
 * Bounds the commands of each account at one node, because events are kept for ever. The system and
 * root have no bound.
 */
export class CommandPace {
  private readonly events = new RateLimiter(PACE);

  /** @param isUnbounded tells whether an actor has no bound */
  constructor(private readonly isUnbounded: (actor: string) => boolean) {}

  /** @throws {MillraceError} TOO_MANY_REQUESTS */
  check(actor: string, count: number): void {
    if (count === 0 || actor === 'system' || this.isUnbounded(actor)) return;
    const wait = this.events.take(actor, count);
    if (wait > 0)
      throw new MillraceError(
        'TOO_MANY_REQUESTS',
        'this account changes more than it may; nothing was changed by this request; wait and send it again',
        { retryAfterSeconds: Math.max(1, Math.ceil(wait / 1000)) },
      );
  }
}
