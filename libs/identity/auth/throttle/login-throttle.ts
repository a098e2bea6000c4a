import { setTimeout as sleep } from 'node:timers/promises';
import { KeyedCounter, RateLimiter } from '@app/flow';
import { MillraceError, type AddressPrefix } from '@app/platform';

const PER_MINUTE = 1 / 60;
const PER_HOUR = PER_MINUTE / 60;
/** The limit of wrong passwords for one account from one address prefix. */
const PAIR = { perSecond: 10 * PER_MINUTE, burst: 10 };
/** The same limit, if the account has logged in from that prefix before. */
const KNOWN_PAIR = { perSecond: 1, burst: 30 };
/** The limit of wrong passwords from one prefix, for all accounts together. */
const PREFIX = { perSecond: 1, burst: 10 };
/** The pace for one account, from networks that neither logged in to it nor failed lately. */
const FIRST = { perSecond: 1, burst: 30 };
/** The pace for networks that failed, from prefixes with few failures. */
const FRESH = { perSecond: 1, burst: 60 };
/** The pace for prefixes with more failures. */
const FAILED = { perSecond: 1, burst: 30 };
/**
 * With more failures than these, a prefix counts as a guesser's. With as many for one account, it
 * counts as a prefix that failed for this account.
 */
const STRIKES = { perSecond: 3 * PER_HOUR, burst: 3 };
/** The same for a network and an account, because an attacker may own a whole network. */
const NETWORK_STRIKES = { perSecond: 30 * PER_HOUR, burst: 30 };
/**
 * The number of attempts up to which a remembered password is still accepted from its own prefix.
 */
const FLOOD = { perSecond: 20, burst: 6000 };
const SLOWEST_MS = 10_000;
const SLOW_MAX = 1000;
const SLOW_EACH = 4;

/** The client that tries to log in, and the account. */
interface Attempter extends AddressPrefix {
  /** A fingerprint of the e-mail, whether it has an account or not. */
  readonly account: string;
  /** Tells whether this prefix has logged in to the account before. */
  readonly known: boolean;
}

/**
 * `known` and `new` are checked before `guesser`s, who have failed several times in the last hour.
 */
export type Standing = 'known' | 'new' | 'guesser';

/** An attempt that was admitted. The caller reports how it ended. */
export interface Attempt {
  readonly standing: Standing;
  right(this: void): void;
  wrong(this: void): void;
  /** The password could not be checked. */
  undecided(this: void): void;
}

/**
 * Slows guessing down, and never locks an account for everyone. Failures are counted for the
 * account *and* the prefix of the address, so a stranger's failures do not slow down other places.
 * A prefix that fails for many accounts is checked once a second. An account that is tried from
 * many prefixes is checked at a pace of its own: prefixes that have failed for it wait for each
 * other, and a network that has not failed does not wait for them. All that holds for strangers. An
 * attempt from a prefix that has logged in to the account before is checked even beyond these
 * limits; if its password is wrong, it gets a stranger's answer.
 *
 * An attempt counts until it is known to be right, so that many at once do not slip through; for
 * the prefix only when it is half-way to its limit, since many people may come from one address at
 * the same time.
 */
export class LoginThrottle {
  private readonly pairs: RateLimiter;
  private readonly knownPairs: RateLimiter;
  private readonly prefixes: RateLimiter;
  private readonly first: RateLimiter;
  private readonly fresh: RateLimiter;
  private readonly failed: RateLimiter;
  private readonly strikes: RateLimiter;
  private readonly networkStrikes: RateLimiter;
  private readonly floods: RateLimiter;
  /** The attempts that wait for their account's pace, by network. */
  private readonly slow = new KeyedCounter();

  constructor(
    now: () => number = () => performance.now(),
    private readonly pause: (milliseconds: number) => Promise<unknown> = (ms) => sleep(ms),
  ) {
    this.pairs = new RateLimiter(PAIR, now);
    this.knownPairs = new RateLimiter(KNOWN_PAIR, now);
    this.prefixes = new RateLimiter(PREFIX, now);
    this.first = new RateLimiter(FIRST, now);
    this.fresh = new RateLimiter(FRESH, now);
    this.failed = new RateLimiter(FAILED, now);
    this.strikes = new RateLimiter(STRIKES, now);
    this.networkStrikes = new RateLimiter(NETWORK_STRIKES, now);
    this.floods = new RateLimiter(FLOOD, now);
  }

  /**
   * Tells whether this prefix tries the account so fast that not even a remembered password is
   * accepted. Otherwise the answers would tell another person behind the same address, at any
   * speed, which password is correct.
   */
  isFlooded(account: string, { prefix }: AddressPrefix): boolean {
    return this.floods.wait(pairOf({ account, prefix }), 1) > 0;
  }

  /** @throws {MillraceError} TOO_MANY_REQUESTS with the seconds to wait. */
  async admit(attempter: Attempter): Promise<Attempt> {
    const pair = pairOf(attempter);
    // Only admitted attempts count. Otherwise a flood would keep its address locked out for a day.
    const isCounted = this.floods.take(pair) === 0;
    const taken = new Taken();
    const strangersWait = Math.max(
      this.pairs.wait(pair, 1),
      this.prefixes.wait(attempter.prefix, 1),
    );
    const refusal = attempter.known ? this.knownPairs.wait(pair, 1) : strangersWait;
    if (refusal > 0) throw tooMany(refusal);
    if (attempter.known) taken.from(this.knownPairs, pair);
    if (strangersWait === 0) taken.from(this.pairs, pair);
    const isSuspect = this.prefixes.wait(attempter.prefix, PREFIX.burst / 2) > 0;
    if (isSuspect && strangersWait === 0) taken.from(this.prefixes, attempter.prefix);
    if (!attempter.known) await this.atPaceOf(attempter, taken);
    const undo = (): void => {
      taken.giveBack();
      if (isCounted) this.floods.giveBack(pair, 1);
    };
    return {
      standing: this.standing(attempter),
      right: undo,
      undecided: undo,
      wrong: () => {
        if (!isSuspect) this.prefixes.use(attempter.prefix, 1);
        // The count stops at its limit. More would mark the prefix for as long as the guessing went
        // on.
        this.strikes.take(attempter.prefix);
        // A stranger's attempt would not have been checked, so the answer must not reveal that this
        // is the owner's place.
        if (strangersWait > 0) throw tooMany(strangersWait);
      },
    };
  }

  /** Waits if others have tried this account. So a stranger's login is slow, but possible. */
  private async atPaceOf(attempter: Attempter, taken: Taken): Promise<void> {
    const { account, network } = attempter;
    const pace = this.paceOf(attempter, taken);
    const wait = pace.wait(account, 1);
    const isFull = this.slow.of(network) >= SLOW_EACH || this.slow.total >= SLOW_MAX;
    if (wait > SLOWEST_MS || (wait > 0 && isFull)) {
      taken.giveBack();
      throw tooMany(wait);
    }
    taken.from(pace, account);
    if (wait === 0) return;
    this.slow.add(network, 1);
    await this.pause(wait);
    this.slow.add(network, -1);
  }

  private paceOf(attempter: Attempter, taken: Taken): RateLimiter {
    const [pair, wide] = [pairOf(attempter), `${attempter.account} ${attempter.network}`];
    if (this.strikes.wait(pair, 1) > 0 || this.networkStrikes.wait(wide, 1) > 0) return this.failed;
    const isFirst = this.networkStrikes.wait(wide, NETWORK_STRIKES.burst) === 0;
    taken.from(this.strikes, pair);
    taken.from(this.networkStrikes, wide);
    return isFirst ? this.first : this.fresh;
  }

  private standing({ known, prefix }: Attempter): Standing {
    if (known) return 'known';
    return this.strikes.wait(prefix, 1) > 0 ? 'guesser' : 'new';
  }
}

/** The amounts that an attempt has used of its limits. */
class Taken {
  private readonly all: (readonly [RateLimiter, string])[] = [];

  from(limiter: RateLimiter, key: string): void {
    limiter.use(key, 1);
    this.all.push([limiter, key]);
  }

  giveBack(): void {
    for (const [limiter, key] of this.all) limiter.giveBack(key, 1);
  }
}

const pairOf = ({ account, prefix }: Pick<Attempter, 'account' | 'prefix'>): string =>
  `${account} ${prefix}`;

function tooMany(waitMs: number): MillraceError {
  return new MillraceError(
    'TOO_MANY_REQUESTS',
    'too many failed logins for this account or from this address; wait and try again',
    { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) },
  );
}
