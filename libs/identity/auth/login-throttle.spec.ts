import { LoginThrottle } from './login-throttle.js';

describe('the throttle of logins', () => {
  let now: number;
  let throttle: LoginThrottle;
  beforeEach(() => {
    now = 1_000_000;
    throttle = new LoginThrottle(() => now);
  });
  /** What comes of a wrong password: `wrong`, or the seconds to wait. */
  const guess = (account: string, address = `of ${account}`): string | number => {
    try {
      throttle.admit(account, address).wrong();
      return 'wrong';
    } catch (error) {
      const { kind, retryAfterSeconds = 0 } = error as {
        kind?: string;
        retryAfterSeconds?: number;
      };
      expect(kind).toBe('TOO_MANY_REQUESTS');
      return retryAfterSeconds;
    }
  };
  const times = <T>(count: number, work: (n: number) => T): T[] =>
    Array.from({ length: count }, (_, n) => work(n));

  it('lets ten failures of an account through in a minute, from wherever', () => {
    expect(times(10, (n) => guess('ann', `${n}`))).toEqual(Array(10).fill('wrong'));
    expect(guess('ann', 'elsewhere')).toBe(60);
    now += 30_000;
    expect(guess('ann')).toBe(30);
    now += 30_000;
    expect(guess('ann')).toBe('wrong');
  });

  it('tells when the first of them is a minute ago, not the last', () => {
    times(10, () => (now += 1000) && guess('ann'));
    expect(guess('ann')).toBe(51);
    now += 51_000;
    expect(guess('ann')).toBe('wrong');
    expect(guess('ann')).toBe(1);
  });

  it('counts an attempt until it is known to be right', () => {
    const attempts = times(10, () => throttle.admit('ann', 'a'));
    expect(() => throttle.admit('ann', 'a')).toThrow(/too many/);
    attempts[0]?.undecided();
    attempts[1]?.right();
    expect(() => throttle.admit('ann', 'a')).not.toThrow();
  });

  it('forgets failures when the password was right', () => {
    times(9, () => guess('ann'));
    throttle.admit('ann', 'of ann').right();
    expect(times(10, (n) => guess('ann', `${n}`))).toEqual(Array(10).fill('wrong'));
  });

  it('slows an address down that fails for many accounts, to one attempt a second', () => {
    expect(times(10, (n) => guess(`user${n}`, 'a'))).toEqual(Array(10).fill('wrong'));
    expect(guess('user10', 'a')).toBe(60);
    expect(guess('user11', 'a')).toBe(60);
    now += 1000;
    throttle.admit('with the right password', 'a').right();
    expect(guess('user12', 'a')).toBe(59);
    expect(guess('user12', 'b')).toBe('wrong');
  });

  it('keeps nothing for ever', () => {
    const { accounts, addresses } = throttle as unknown as Record<string, Map<string, unknown>>;
    times(60_000, (n) => guess(`user${n}`, `${n}`));
    expect(accounts?.size).toBeLessThanOrEqual(50_000);
    expect(addresses?.size).toBeLessThanOrEqual(50_000);
    now += 61_000;
    times(10, (n) => guess('ann', `late ${n}`));
    expect(guess('ann')).toBe(60);
    expect(accounts?.size).toBeLessThan(50_000);
  });
});
