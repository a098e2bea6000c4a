import { Crowded, FairTurns } from './fair-turns.js';

describe('FairTurns', () => {
  /** Work that ends when it is told to, and notes that it was started. */
  function bench(limits: { slots: number; waiting?: number; waitingEach?: number }) {
    const turns = new FairTurns({ waiting: 1000, waitingEach: 1000, ...limits });
    const started: string[] = [];
    const refused: string[] = [];
    const ends: (() => void)[] = [];
    const bring = (path: string): void => {
      const work = (): Promise<void> => {
        started.push(path);
        return new Promise((end) => ends.push(end));
      };
      turns.run(path.split('/').slice(0, 2), work).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Crowded);
        refused.push(path);
      });
    };
    const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
    const endAll = async (): Promise<void> => {
      for (await settle(); ends.length > 0; await settle()) ends.shift()?.();
    };
    return { turns, started, refused, bring, settle, endAll, ends };
  }

  it('runs so much at a time, and hands places over', async () => {
    const { turns, started, bring, ends, settle, endAll } = bench({ slots: 2 });
    for (const path of ['a/1', 'a/2', 'a/3', 'a/4']) bring(path);
    expect([started, turns.waiting]).toEqual([['a/1', 'a/2'], 2]);
    ends.shift()?.();
    await settle();
    expect([started, turns.waiting]).toEqual([['a/1', 'a/2', 'a/3'], 1]);
    await endAll();
    expect([started.length, turns.waiting]).toEqual([4, 0]);
    bring('b/1');
    bring('b/2');
    expect(started.length).toBe(6);
  });

  it('serves groups in turns, and what is in each group in turns too', async () => {
    const { started, bring, endAll } = bench({ slots: 1 });
    bring('first/x');
    for (const path of ['a/1/i', 'a/1/ii', 'a/1/iii', 'a/2/i', 'b/1/i', 'c/1/i', 'c/1/ii'])
      bring(path);
    await endAll();
    expect(started.slice(1)).toEqual([
      'a/1/i',
      'b/1/i',
      'c/1/i',
      'a/2/i',
      'c/1/ii',
      'a/1/ii',
      'a/1/iii',
    ]);
  });

  it('refuses what has waited for too long, and goes on with the others', async () => {
    const turns = new FairTurns({ slots: 1, waiting: 9, waitingEach: 9, waitMs: 20 });
    let end: () => void = () => undefined;
    const first = turns.run(['a', '1'], () => new Promise<void>((done) => (end = done)));
    const refused = ['a/1', 'a/1', 'a/2', 'b/1'].map((path) =>
      turns.run(path.split('/'), () => Promise.reject(new Error('was not refused'))),
    );
    for (const each of refused) await expect(each).rejects.toBeInstanceOf(Crowded);
    expect(turns.waiting).toBe(0);
    const next = turns.run(['a', '1'], () => Promise.resolve('answered'));
    end();
    await first;
    expect(await next).toBe('answered');
  });

  it('frees the place of work that fails', async () => {
    const turns = new FairTurns({ slots: 1, waiting: 1, waitingEach: 1 });
    await expect(turns.run(['a'], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(turns.run(['a'], () => Promise.resolve('yes'))).resolves.toBe('yes');
  });

  it('lets so much of each path wait, and no more', async () => {
    const { refused, bring, settle, turns } = bench({ slots: 1, waitingEach: 2 });
    for (const path of ['a/1', 'a/1', 'a/1', 'a/1', 'a/2']) bring(path);
    await settle();
    expect([refused, turns.waiting]).toEqual([['a/1'], 3]);
  });

  it('takes a place from the largest group when all are taken, and from nobody for it', async () => {
    const { refused, bring, settle, turns } = bench({ slots: 1, waiting: 4 });
    bring('running/1');
    for (const path of ['a/1/i', 'a/2/i', 'a/2/ii', 'b/1/i']) bring(path);
    bring('c/1/i');
    await settle();
    expect(refused).toEqual(['a/2/ii']);
    bring('a/3/i');
    await settle();
    expect(refused).toEqual(['a/2/ii', 'a/3/i']);
    expect(turns.waiting).toBe(4);
  });
});
