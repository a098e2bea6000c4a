import { Injectable } from '@nestjs/common';
import { Crowded, FairTurns, RateLimiter } from '@app/flow';
import { MillraceError, type AddressPrefix } from '@app/platform';

const PER_HOUR = 1 / 3600;
/** The limits of attempts. Each attempt takes a name, or shows that it is taken. */
const PREFIX = { perSecond: 20 * PER_HOUR, burst: 10 };
const NETWORK = { perSecond: 80 * PER_HOUR, burst: 40 };
/** The limit for all networks together bounds the data that strangers can make the server keep. */
const ALL = { perSecond: 600 * PER_HOUR, burst: 300 };
const TURNS = { slots: 1, waiting: 100, waitingEach: 4 };

/**
 * Limits how many accounts strangers can make, by their addresses. Accounts are made one at a time,
 * so that the hashing of their passwords does not delay logins.
 */
@Injectable()
export class SignUpPace {
  private readonly limits: readonly (readonly [keyof AddressPrefix | 'all', RateLimiter])[];
  private readonly turns = new FairTurns(TURNS);

  constructor() {
    this.limits = [
      ['prefix', new RateLimiter(PREFIX)],
      ['network', new RateLimiter(NETWORK)],
      ['all', new RateLimiter(ALL)],
    ];
  }

  /** @throws {MillraceError} TOO_MANY_REQUESTS */
  async run<T>(from: AddressPrefix, work: () => Promise<T>): Promise<T> {
    this.take({ ...from, all: 'all' });
    try {
      return await this.turns.run([from.network, from.prefix], work);
    } catch (error) {
      if (!(error instanceof Crowded)) throw error;
      throw tooMany(5000);
    }
  }

  /** Takes from all limits, or from none where one of them refuses. */
  private take(keys: AddressPrefix & { readonly all: string }): void {
    const wait = Math.max(...this.limits.map(([name, limit]) => limit.wait(keys[name], 1)));
    if (wait > 0) throw tooMany(wait);
    for (const [name, limit] of this.limits) limit.use(keys[name], 1);
  }
}

const tooMany = (waitMs: number): MillraceError =>
  new MillraceError(
    'TOO_MANY_REQUESTS',
    'as many people have signed up in the last while as may; wait and try again',
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  );
