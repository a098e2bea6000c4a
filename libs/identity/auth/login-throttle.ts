import { MillraceError } from '@app/platform';

const FAILURES_MAX = 10;
const WINDOW_MS = 60_000;
/** What an address over its limit may still try, for accounts that are not. */
const PACE_MS = 1000;
const KEPT_MAX = 50_000;
const KEPT_WHEN_FULL = 45_000;

interface Failures {
  /** Times of failures, oldest first. */
  times: number[];
  /** When somebody at an address over its limit was last let through. */
  paced: number;
}

/** An attempt that was let through; tell how it ended. */
export interface Attempt {
  right(this: void): void;
  /** @throws {MillraceError} TOO_MANY_REQUESTS when its address is over the limit. */
  wrong(this: void): void;
  /** It could not be checked. */
  undecided(this: void): void;
}

/**
 * Slows guessing down. After 10 failures within a minute an account is not checked any more; an
 * address is checked once a second, and only for accounts that are not over their own limit, so
 * that others behind the same address still get in with the right password. For the account an
 * attempt counts as a failure until it is known to be right, so that many at once do not slip
 * through; for the address it does not, since many people may come from one at the same time.
 */
export class LoginThrottle {
  private readonly accounts = new Map<string, Failures>();
  private readonly addresses = new Map<string, Failures>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @throws {MillraceError} TOO_MANY_REQUESTS with the seconds to wait. */
  admit(account: string, address: string): Attempt {
    const now = this.now();
    const ofAccount = recent(this.accounts, account, now);
    const ofAddress = recent(this.addresses, address, now);
    if (ofAccount.times.length >= FAILURES_MAX) throw tooMany(ofAccount.times, now);
    const suspect = ofAddress.times.length >= FAILURES_MAX;
    if (suspect) {
      if (now - ofAddress.paced < PACE_MS) throw tooMany(ofAddress.times, now);
      ofAddress.paced = now;
    }
    ofAccount.times.push(now);
    return {
      right: () => {
        ofAccount.times = [];
      },
      wrong: () => {
        ofAddress.times.push(now);
        if (suspect) throw tooMany(ofAddress.times, now);
      },
      undecided: () => {
        ofAccount.times = without(ofAccount.times, now);
      },
    };
  }
}

function recent(all: Map<string, Failures>, key: string, now: number): Failures {
  const known = all.get(key);
  if (known) {
    known.times = known.times.filter((time) => now - time < WINDOW_MS);
    return known;
  }
  if (all.size >= KEPT_MAX) forget(all, now);
  const fresh: Failures = { times: [], paced: -Infinity };
  all.set(key, fresh);
  return fresh;
}

/** Those without a failure in the window go; when they are few, the oldest too: not again at once. */
function forget(all: Map<string, Failures>, now: number): void {
  for (const [key, { times }] of all) {
    if (now - (times.at(-1) ?? -Infinity) >= WINDOW_MS) all.delete(key);
  }
  for (const key of all.keys()) {
    if (all.size <= KEPT_WHEN_FULL) return;
    all.delete(key);
  }
}

function without(times: readonly number[], time: number): number[] {
  const index = times.indexOf(time);
  return times.filter((_, each) => each !== index);
}

function tooMany(times: readonly number[], now: number): MillraceError {
  const oldest = times.at(-FAILURES_MAX) ?? now;
  return new MillraceError(
    'TOO_MANY_REQUESTS',
    'too many failed logins for this account or from this address; wait and try again',
    { retryAfterSeconds: Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000)) },
  );
}
