import { Pool } from './pool.js';

describe('Pool', () => {
  let made: number;
  let pool: Pool<{ readonly number: number }>;
  beforeEach(() => {
    made = 0;
    pool = new Pool(() => ({ number: (made += 1) }), 2);
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('makes things when they are needed, and takes those that are idle first', async () => {
    const first = await pool.acquire();
    pool.release(first);
    expect(await pool.acquire()).toBe(first);
    await pool.acquire();
    expect([made, pool.all().length]).toEqual([2, 2]);
  });

  it('gives what is released to who waits longest', async () => {
    const [one, other] = [await pool.acquire(), await pool.acquire()];
    const given: string[] = [];
    void pool.acquire().then((thing) => given.push(`first ${thing.number}`));
    void pool.acquire().then((thing) => given.push(`second ${thing.number}`));
    await turn();
    expect(given).toEqual([]);
    pool.release(other);
    await turn();
    expect(given).toEqual(['first 2']);
    pool.release(one);
    await turn();
    expect(given).toEqual(['first 2', 'second 1']);
    expect(made).toBe(2);
  });

  it('releases a thing whose work fails, and keeps no place for one that cannot be made', async () => {
    await expect(pool.use(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    let tries = 0;
    const failing = new Pool<object>(() => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
      return {};
    }, 1);
    await expect(failing.acquire()).rejects.toThrow('not yet');
    await expect(failing.acquire()).rejects.toThrow('not yet');
    await expect(failing.acquire()).resolves.toEqual({});
  });
});
