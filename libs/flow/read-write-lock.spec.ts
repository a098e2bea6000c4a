import { ReadWriteLock } from './read-write-lock.js';

/** Work that can be watched and ended by hand. */
function held(log: string[], name: string): { work: () => Promise<void>; end: () => void } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return {
    work: async () => {
      log.push(`${name} begins`);
      await ended;
      log.push(`${name} ends`);
    },
    end,
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('ReadWriteLock', () => {
  it('lets many share a key, and one have it alone after those and before later ones', async () => {
    const lock = new ReadWriteLock();
    const log: string[] = [];
    const [a, b, w, c] = ['a', 'b', 'w', 'c'].map((name) => held(log, name));
    const all = [
      lock.shared('s', a!.work),
      lock.shared('s', b!.work),
      lock.exclusive('s', w!.work),
      lock.shared('s', c!.work),
    ];
    await turn();
    expect(log).toEqual(['a begins', 'b begins']);
    a!.end();
    b!.end();
    await turn();
    expect(log.slice(4)).toEqual(['w begins']);
    w!.end();
    await turn();
    c!.end();
    await Promise.all(all);
    expect(log.slice(4)).toEqual(['w begins', 'w ends', 'c begins', 'c ends']);
  });

  it('is free again after a failure, and keeps keys apart', async () => {
    const lock = new ReadWriteLock();
    const fail = () => Promise.reject(new Error('no'));
    await expect(lock.exclusive('s', fail)).rejects.toThrow('no');
    await expect(lock.shared('s', fail)).rejects.toThrow('no');
    const held1 = held([], 'w');
    const alone = lock.exclusive('s', held1.work);
    expect(await lock.shared('t', () => Promise.resolve(1))).toBe(1);
    held1.end();
    await alone;
    expect(await lock.shared('s', () => Promise.resolve(2))).toBe(2);
  });

  it('lets nobody wait for each other who shares several keys', async () => {
    const lock = new ReadWriteLock();
    const first = held([], 'first');
    const done: string[] = [];
    const say = (what: string) => () => Promise.resolve(void done.push(what));
    const all = [
      lock.exclusive('a', first.work),
      lock.sharedAll(['a', 'b'], say('a, b')),
      lock.exclusive('a', say('a alone')),
      lock.sharedAll(['b', 'a', 'b'], say('b, a')),
      lock.exclusive('b', say('b alone')),
    ];
    await turn();
    first.end();
    await Promise.all(all);
    expect([...done].sort()).toEqual(['a alone', 'a, b', 'b alone', 'b, a']);
  });
});
