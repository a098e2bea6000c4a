import { Crowded, FairTurns } from '@app/flow';
import { MillraceError, type AddressPrefix } from '@app/platform';
import type { Standing } from './login-throttle.js';

/**
 * Each check takes 19 MiB and a thread. More at once would leave no threads for the engine's calls.
 */
const SLOTS = { others: 2, guessers: 1 };
const WAITING_MAX = 400;
const WAITING_EACH = 16;

/**
 * Decides whose password is hashed next. Address prefixes with several recent failures share one
 * place, and take none from others. A person at an address from which the account logged in before
 * does not wait for strangers. All take turns by network and prefix, so a client with many guesses
 * only delays itself.
 */
export class HashingTurns {
  private readonly others = new FairTurns({
    slots: SLOTS.others,
    waiting: WAITING_MAX,
    waitingEach: WAITING_EACH,
  });
  private readonly guessers = new FairTurns({
    slots: SLOTS.guessers,
    waiting: WAITING_MAX,
    waitingEach: WAITING_EACH,
  });

  /** @throws {MillraceError} TOO_MANY_REQUESTS when too many wait. */
  async run<T>(
    standing: Standing,
    { network, prefix }: AddressPrefix,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await (standing === 'guesser'
        ? this.guessers.run([network, prefix], work)
        : this.others.run([standing, network, prefix], work));
    } catch (error) {
      if (!(error instanceof Crowded)) throw error;
      throw new MillraceError('TOO_MANY_REQUESTS', 'too many logins at once; try again', {
        retryAfterSeconds: 5,
        cause: error,
      });
    }
  }
}
