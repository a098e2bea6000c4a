import { BesideReplay, WAITING_MAX, WRITTEN } from './beside-replay.js';

describe('rows that are written beside a replay', () => {
  interface Begun {
    readonly left: number;
    end(): void;
    fail(error: Error): void;
  }
  let begun: Begun[];
  let replay: BesideReplay;
  beforeEach(() => {
    begun = [];
    replay = new BesideReplay(
      (left) => new Promise((end, fail) => begun.push({ left, end, fail })),
    );
  });

  it('are none while few wait', () => {
    expect([replay.go(0), replay.go(WRITTEN.from - 1), begun]).toEqual([undefined, undefined, []]);
  });

  it('are some of them at a time, and the replay goes on', async () => {
    await replay.go(WRITTEN.from);
    await replay.go(WRITTEN.from + 1);
    expect(begun.map(({ left }) => left)).toEqual([WRITTEN.from - WRITTEN.atATime]);
    begun[0]?.end();
    await replay.end();
    await replay.go(WRITTEN.from + 2);
    expect(begun).toHaveLength(2);
  });

  it('get the turn again and again', async () => {
    await replay.go(WRITTEN.from);
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    for (let events = 0; events < 1000; events += 1) await replay.go(WRITTEN.from);
    expect(hadTurn).toBe(true);
  });

  it('are waited for where too many wait', async () => {
    let isOver = false;
    const waited = replay.go(WAITING_MAX)?.then(() => (isOver = true));
    await new Promise(setImmediate);
    expect([begun.length, isOver]).toEqual([1, false]);
    begun[0]?.end();
    await waited;
    expect(isOver).toBe(true);
  });

  it('tell the replay of their failure, whether it looks at once or later', async () => {
    await replay.go(WRITTEN.from);
    begun[0]?.fail(new Error('the disk is full'));
    await new Promise(setImmediate);
    await expect(replay.end()).rejects.toThrow('the disk is full');
    await expect(replay.go(WRITTEN.from)).rejects.toThrow('the disk is full');
  });
});
