import { jest } from '@jest/globals';
import { PassingPlaces } from './passing-places.js';

/** Work that ends when it is told to. */
class Work {
  hasBegun = false;
  end: () => void = () => undefined;

  readonly run = (): Promise<void> => {
    this.hasBegun = true;
    return new Promise((resolve) => (this.end = resolve));
  };
}

describe('places that are passed on', () => {
  const of = { beginning: 2, lasting: 3, passAfterMs: 1000 };
  let places: PassingPlaces;
  let works: Work[];
  beforeEach(() => {
    jest.useFakeTimers();
    places = new PassingPlaces(of);
    works = Array.from({ length: 7 }, () => new Work());
  });
  afterEach(() => jest.useRealTimers());

  const begun = (): number => works.filter(({ hasBegun }) => hasBegun).length;
  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  it('let so much begin at a time, and others when it ends', async () => {
    const running = works.map((work) => places.run(work.run));
    await pass(of.passAfterMs - 1);
    expect(begun()).toBe(2);
    works[0]?.end();
    await running[0];
    await pass(0);
    expect(begun()).toBe(3);
  });

  it('let others begin beside work that lasts, until too much of it does', async () => {
    const running = works.map((work) => places.run(work.run));
    await pass(of.passAfterMs);
    expect(begun()).toBe(4);
    await pass(10 * of.passAfterMs);
    expect(begun()).toBe(of.lasting + of.beginning);
    // The oldest has no place any more; a newer one takes what it leaves.
    works[0]?.end();
    await running[0];
    await pass(0);
    expect(begun()).toBe(of.lasting + of.beginning + 1);
  });

  it('go to each party in turn, and not to who has left', async () => {
    const taken: string[] = [];
    const leaving: (() => void)[] = [];
    const take = async (party: string, signal?: AbortSignal): Promise<void> => {
      const leave = await places.acquire(party, signal);
      taken.push(party);
      leaving.push(leave);
    };
    for (let n = 0; n < 5; n += 1) void take('many');
    const gone = new AbortController();
    const left = take('left', gone.signal);
    void take('one');
    await pass(0);
    expect(taken).toEqual(['many', 'many']);
    gone.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    leaving.shift()?.();
    await pass(0);
    expect(taken).toEqual(['many', 'many', 'one']);
    await expect(places.acquire('late', gone.signal)).rejects.toThrow('left');
  });

  it('are never all of one party, however much of its work lasts', async () => {
    places = new PassingPlaces({ ...of, each: { beginning: 1, lasting: 2 } });
    const begunBy = (party: string, count: number): Work[] =>
      Array.from({ length: count }, () => {
        const work = new Work();
        void places.run(work.run, party);
        return work;
      });
    const many = begunBy('many', 9);
    await pass(10 * of.passAfterMs);
    expect(many.filter(({ hasBegun }) => hasBegun)).toHaveLength(3);
    const others = begunBy('other', 2);
    await pass(of.passAfterMs);
    expect(others.every(({ hasBegun }) => hasBegun)).toBe(true);
    // A place that one of its own leaves is free for the next of the same party.
    many[0]?.end();
    await pass(of.passAfterMs);
    expect(many.filter(({ hasBegun }) => hasBegun)).toHaveLength(4);
  });

  it('are all free again when everything is over, also what failed', async () => {
    const failing = places.run(() => Promise.reject(new Error('disk')));
    await expect(failing).rejects.toThrow('disk');
    const running = works.map((work) => places.run(work.run));
    while (begun() < works.length) {
      for (const work of works) work.end();
      await pass(of.passAfterMs);
    }
    for (const work of works) work.end();
    await Promise.all(running);
    works = Array.from({ length: 3 }, () => new Work());
    for (const work of works) void places.run(work.run);
    await pass(0);
    expect(begun()).toBe(of.beginning);
  });
});
