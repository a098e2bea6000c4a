import { Crowded, FairTurns, RateLimiter } from '@app/flow';
import { MillraceError, type AddressPrefix } from '@app/platform';
import type { Standing } from './login-throttle.js';

/**
 * Each check takes 19 MiB and a thread. More at once would leave no threads for the engine's calls.
 */
const SLOTS = { others: 2, guessers: 1 };
const WAITING_MAX = 400;
const WAITING_EACH = 16;
const SLOWEST_MS = 10_000;
/** A prefix that was refused has one turn before others for so long. */
const TURNED_AWAY = { perSecond: 1 / 120, burst: 1 };

/**
 * Decides whose password is hashed next. Address prefixes with several recent failures share one
 * place, and take none from others. A person at an address from which the account logged in before
 * does not wait for strangers. All take turns by network and prefix, so a client with many guesses
 * only delays itself. After ten seconds a login is refused. Its prefix has a turn before newcomers
 * when it comes again, which a flood from ever new addresses never does.
 */
export class HashingTurns {
  private readonly others: FairTurns;
  private readonly guessers: FairTurns;
  private readonly turnedAway = new RateLimiter(TURNED_AWAY);

  constructor(waitMs = SLOWEST_MS) {
    const limits = { waiting: WAITING_MAX, waitingEach: WAITING_EACH, waitMs };
    this.others = new FairTurns({ ...limits, slots: SLOTS.others });
    this.guessers = new FairTurns({ ...limits, slots: SLOTS.guessers });
  }

  /** @throws {MillraceError} TOO_MANY_REQUESTS when too many wait. */
  async run<T>(
    standing: Standing,
    { network, prefix }: AddressPrefix,
    work: () => Promise<T>,
  ): Promise<T> {
    const path = [wideOf(network), network, prefix];
    try {
      if (standing === 'guesser') return await this.guessers.run(path, work);
      const comesAgain = standing === 'new' && this.turnedAway.wait(prefix, 1) > 0;
      return await this.others.run([comesAgain ? 'again' : standing, ...path], () => {
        if (comesAgain) this.turnedAway.giveBack(prefix, 1);
        return work();
      });
    } catch (error) {
      if (!(error instanceof Crowded)) throw error;
      if (standing === 'new') this.turnedAway.take(prefix);
      throw new MillraceError('TOO_MANY_REQUESTS', 'too many logins at once; try again', {
        retryAfterSeconds: 5,
        cause: error,
      });
    }
  }
}

/** The first two numbers of a network: an owner of a whole /32 of IPv6 has 65,536 networks. */
const wideOf = (network: string): string => network.split(/[.:]/).slice(0, 2).join('.');
