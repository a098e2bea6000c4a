import { SchemaLock } from './schema-lock.js';

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

describe('the schema gate', () => {
  it('lets many pass at once, and one alone after those and before later ones', async () => {
    const gate = new SchemaLock();
    const log: string[] = [];
    const [a, b, w, c] = ['a', 'b', 'w', 'c'].map((name) => held(log, name));
    const all = [
      gate.pass('s', a!.work),
      gate.pass('s', b!.work),
      gate.alone('s', w!.work),
      gate.pass('s', c!.work),
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

  it('opens again after a failure, and keeps streams apart', async () => {
    const gate = new SchemaLock();
    const fail = () => Promise.reject(new Error('no'));
    await expect(gate.alone('s', fail)).rejects.toThrow('no');
    await expect(gate.pass('s', fail)).rejects.toThrow('no');
    const held1 = held([], 'w');
    const alone = gate.alone('s', held1.work);
    expect(await gate.pass('t', () => Promise.resolve(1))).toBe(1);
    held1.end();
    await alone;
    expect(await gate.pass('s', () => Promise.resolve(2))).toBe(2);
  });

  it('lets nobody wait for each other who passes the gates of several streams', async () => {
    const gate = new SchemaLock();
    const first = held([], 'first');
    const done: string[] = [];
    const say = (what: string) => () => Promise.resolve(void done.push(what));
    const all = [
      gate.alone('a', first.work),
      gate.passAll(['a', 'b'], say('a, b')),
      gate.alone('a', say('a alone')),
      gate.passAll(['b', 'a', 'b'], say('b, a')),
      gate.alone('b', say('b alone')),
    ];
    await turn();
    first.end();
    await Promise.all(all);
    expect([...done].sort()).toEqual(['a alone', 'a, b', 'b alone', 'b, a']);
  });
});
