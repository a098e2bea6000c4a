import { addressPrefix } from '@app/platform';
import { HashingTurns } from './hashing-turns.js';

describe('HashingTurns', () => {
  const run = (
    turns: HashingTurns,
    address: string,
    work: () => Promise<unknown> = () => Promise.resolve(address),
  ): Promise<unknown> => turns.run('new', addressPrefix(address), work);
  /** Takes both places. @returns what gives them back */
  const occupy = (turns: HashingTurns): (() => void) => {
    const ends: (() => void)[] = [];
    for (const address of ['192.0.2.1', '198.51.100.1'])
      void run(turns, address, () => new Promise<void>((done) => ends.push(done)));
    return () => {
      for (const end of ends) end();
    };
  };
  /** Asks from so many networks, and notes in which order they have their turns. */
  const flood = (turns: HashingTurns, addresses: readonly string[], order: string[]) =>
    Promise.all(
      addresses.map((address) =>
        run(turns, address, () => {
          order.push(address);
          return Promise.resolve();
        }),
      ),
    );
  const fromMany = (first: string): string[] =>
    Array.from({ length: 100 }, (_, n) => `${first}${n % 10}.${Math.floor(n / 10)}.1`);

  it('refuse who has waited for too long, and let them come before strangers then', async () => {
    const turns = new HashingTurns(200);
    const release = occupy(turns);
    await expect(run(turns, '203.0.113.9')).rejects.toMatchObject({ kind: 'TOO_MANY_REQUESTS' });
    const order: string[] = [];
    const all = flood(turns, [...fromMany('10.'), '203.0.113.9'], order);
    release();
    await all;
    expect(order.indexOf('203.0.113.9')).toBeLessThan(3);
    // It has had its turn, and is a stranger again.
    const again = occupy(turns);
    const later: string[] = [];
    const rest = flood(turns, [...fromMany('10.'), '203.0.113.9'], later);
    again();
    await rest;
    expect(later.indexOf('203.0.113.9')).toBe(10);
  });

  it('let one who comes from elsewhere wait for one of a range of many networks', async () => {
    const turns = new HashingTurns();
    const release = occupy(turns);
    const networks = Array.from({ length: 200 }, (_, n) => `2001:db8:${n + 1}::1`);
    const order: string[] = [];
    const all = flood(turns, [...networks, '2a00:1:1::1'], order);
    release();
    await all;
    expect(order.indexOf('2a00:1:1::1')).toBe(1);
  });
});
