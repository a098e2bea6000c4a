import { setImmediate as nextTurn } from 'node:timers/promises';
import { addressPrefix } from '@app/platform';
import { LoginThrottle, type Attempt } from './login-throttle.js';

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60 * SECOND_MS;

describe('the throttle of logins', () => {
  let now: number;
  let waits: { readonly until: number; readonly go: () => void }[];
  let throttle: LoginThrottle;
  beforeEach(() => {
    now = 1_000_000;
    waits = [];
    throttle = new LoginThrottle(
      () => now,
      (milliseconds) => new Promise<void>((go) => waits.push({ until: now + milliseconds, go })),
    );
  });

  /** Moves the clock on, and lets everything go on that waits for it. */
  const pass = async (milliseconds: number): Promise<void> => {
    now += milliseconds;
    for (const { go } of waits.filter(({ until }) => until <= now)) go();
    waits = waits.filter(({ until }) => until > now);
    await nextTurn();
  };
  const admit = (account: string, address: string, known = false): Promise<Attempt> =>
    throttle.admit({ account, known, ...addressPrefix(address) });
  /** Gives the result of a wrong password: `wrong`, or the seconds to wait. */
  const guess = async (
    account: string,
    address: string,
    known = false,
  ): Promise<'wrong' | number> => {
    try {
      (await admit(account, address, known)).wrong();
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
  const times = async <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> => {
    const all: T[] = [];
    for (let n = 0; n < count; n += 1) all.push(await work(n));
    return all;
  };
  const wrong = (count: number): 'wrong'[] => Array<'wrong'>(count).fill('wrong');

  it('lets ten failures for an account from an address through, then ten a minute', async () => {
    expect(await times(12, () => guess('ann', '192.0.2.1'))).toEqual([...wrong(10), 6, 6]);
    await pass(60 * SECOND_MS);
    expect(await times(11, () => guess('ann', '192.0.2.1'))).toEqual([...wrong(10), 6]);
  });

  it('holds nobody up at other addresses, whatever a stranger fails', async () => {
    await times(200, () => guess('ann', '192.0.2.1'));
    expect(await guess('ann', '198.51.100.1')).toBe('wrong');
    expect(await guess('ben', '198.51.100.1')).toBe('wrong');
    expect((await admit('ann', '203.0.113.1')).standing).toBe('new');
  });

  it('takes all addresses of an IPv6 /64 for one, and its neighbour for another', async () => {
    const answers = await times(12, (n) => guess('ann', `2001:db8:1:2::${n}`));
    expect(answers.slice(0, 10)).toEqual(wrong(10));
    expect(answers.slice(10)).toEqual([6, 6]);
    expect(await guess('ann', '2001:db8:1:3::1')).toBe('wrong');
  });

  it('counts an attempt until it is known to be right', async () => {
    const attempts = await times(10, () => admit('ann', '192.0.2.1'));
    await expect(admit('ann', '192.0.2.1')).rejects.toThrow(/too many/);
    attempts[0]?.undecided();
    attempts[1]?.right();
    expect(await times(3, () => guess('ann', '192.0.2.1'))).toEqual(['wrong', 'wrong', 6]);
  });

  it('lets who logged in from there before be checked after the strangers’ limit, and says nothing of it', async () => {
    await times(50, () => guess('ann', '192.0.2.1'));
    const owner = await admit('ann', '192.0.2.1', true);
    expect(owner.standing).toBe('known');
    owner.right();
    // A wrong password gets the same answer as a stranger's.
    expect(await guess('ann', '192.0.2.1', true)).toBe(await guess('ann', '192.0.2.1'));
    const answers = await times(60, () => guess('ann', '192.0.2.1', true));
    expect(answers).not.toContain('wrong');
    await expect(admit('ann', '192.0.2.1', true)).rejects.toThrow(/too many/);
    await pass(SECOND_MS);
    (await admit('ann', '192.0.2.1', true)).right();
  });

  it('slows a prefix down that fails for many accounts, to one attempt a second', async () => {
    const address = '192.0.2.1';
    expect(await times(10, (n) => guess(`user${n}`, address))).toEqual(wrong(10));
    expect(await guess('user10', address)).toBe(1);
    await pass(SECOND_MS);
    (await admit('with the right password', address)).right();
    expect(await guess('user11', address)).toBe('wrong');
    expect(await guess('user12', address)).toBe(1);
    expect(await guess('user12', '198.51.100.2')).toBe('wrong');
    (await admit('who was here before', address, true)).right();
  });

  it('lets many people of one address come at the same time', async () => {
    const all = await times(200, (n) => admit(`user${n}`, '192.0.2.1'));
    for (const each of all) each.right();
    expect(all.map(({ standing }) => standing)).not.toContain('guesser');
  });

  it('takes a prefix for a guesser’s after three failures, for an hour', async () => {
    await times(3, (n) => guess(`user${n}`, '192.0.2.1'));
    expect((await admit('ann', '192.0.2.1')).standing).toBe('guesser');
    expect((await admit('ann', '192.0.2.1', true)).standing).toBe('known');
    await pass(HOUR_MS);
    expect((await admit('ann', '192.0.2.1')).standing).toBe('new');
  });

  describe('when an account is tried from many addresses', () => {
    const elsewhere = (n: number): string => `10.${n >> 8}.${n & 255}.1`;

    it('bounds the guesses of a quarter of an hour, over all of them', async () => {
      const SECONDS = 900;
      let checked = 0;
      for (let second = 0; second < SECONDS; second += 1) {
        for (let n = 0; n < 20; n += 1) {
          const attempt = admit('ann', elsewhere((second * 20 + n) % 16_384)).then(
            ({ wrong: fail }) => {
              checked += 1;
              fail();
            },
          );
          attempt.catch(() => undefined);
        }
        await pass(SECOND_MS);
      }
      // One a second from networks that did not fail, one from those that hardly did, one from others.
      expect(checked).toBeGreaterThan((SECONDS * 5) / 6);
      expect(checked).toBeLessThan(3 * SECONDS + 200);
    });

    it('makes a stranger wait and lets them in; who was there before does not wait', async () => {
      await times(30, (n) => guess('ann', elsewhere(n)));
      (await admit('ann', '203.0.113.1', true)).right();
      let entered = false;
      const stranger = admit('ann', '203.0.113.9').then((attempt) => {
        entered = true;
        attempt.right();
      });
      await nextTurn();
      expect(entered).toBe(false);
      await pass(SECOND_MS);
      await stranger;
      expect(entered).toBe(true);
    });

    it('lets a stranger in who comes from none of 260 addresses that guess', async () => {
      for (let round = 0; round < 20; round += 1) {
        for (let n = 0; n < 260; n += 1) void guess('ann', `10.9.${n >> 4}.${n & 15}`);
        await pass(SECOND_MS);
      }
      (await admit('ann', '203.0.113.9')).right();
    });

    it('has a pace of its own for who failed already: they keep nobody else waiting', async () => {
      const guesser = (n: number): string => `10.0.0.${n % 250}`;
      for (let n = 0; n < 1000; n += 1) void guess('ann', guesser(n));
      await nextTurn();
      (await admit('ann', '203.0.113.9')).right();
      expect(waits.length).toBeLessThanOrEqual(4);
    });

    it('lets few of a network wait, and tells the others when to come again', async () => {
      await times(30, (n) => guess('ann', elsewhere(n)));
      const answers: (string | number)[] = [];
      for (let n = 0; n < 100; n += 1)
        void guess('ann', `203.0.113.${n}`).then((answer) => answers.push(answer));
      await nextTurn();
      expect([waits.length, answers.length]).toEqual([4, 96]);
      // Thirty of a network count as hardly failed, and thirty more as failed; then it is slow.
      const told = answers.filter((answer) => typeof answer === 'number');
      expect(told.length).toBe(96 - 29 - 30);
      expect(Math.min(...told)).toBeGreaterThanOrEqual(1);
    });
  });

  it('looks at no password where one place tries an account as fast as it can', async () => {
    const place = addressPrefix('192.0.2.1');
    await times(5990, () => guess('ann', '192.0.2.1'));
    expect(throttle.isFlooded('ann', place)).toBe(false);
    await times(5000, () => guess('ann', '192.0.2.1'));
    expect(throttle.isFlooded('ann', place)).toBe(true);
    expect(throttle.isFlooded('ann', addressPrefix('192.0.2.2'))).toBe(false);
    await pass(SECOND_MS);
    expect(throttle.isFlooded('ann', place)).toBe(false);
  });

  it('keeps nothing for ever', async () => {
    const { pairs, prefixes, strikes } = throttle as unknown as Record<
      string,
      { clocks: Map<string, number> }
    >;
    await times(60_000, (n) => guess(`user${n}`, elsewhere(n)));
    for (const limiter of [pairs, prefixes, strikes])
      expect(limiter?.clocks.size).toBeLessThanOrEqual(50_000);
  });
  const elsewhere = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
});
