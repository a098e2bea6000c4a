import { FairSemaphore } from './fair-semaphore.js';

/** Work that ends when it is told to. */
function desk(slots: FairSemaphore) {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const bring = async (party: string, ...names: string[]): Promise<void> => {
    for (const name of names)
      void slots.use(party, name, async () => {
        running.push(name);
        await new Promise<void>((end) => ends.set(name, end));
        running.splice(running.indexOf(name), 1);
      });
    await new Promise(setImmediate);
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { running, bring, end };
}

describe('FairSemaphore', () => {
  let time: number;
  let slots: FairSemaphore;
  beforeEach(() => {
    time = 0;
    slots = new FairSemaphore(2, () => time);
  });

  it('gives one party all slots while nobody else is present', async () => {
    const { running, bring } = desk(slots);
    await bring('a', 'a1', 'a2', 'a3');
    expect(running).toEqual(['a1', 'a2']);
    expect(slots.waiting).toBe(1);
  });

  it('takes turns, whichever party has more work', async () => {
    const { running, bring, end } = desk(slots);
    await bring('a', 'a1', 'a2', 'a3', 'a4');
    await bring('b', 'b1', 'b2');
    await end('a1');
    expect(running).toEqual(['a2', 'b1']);
    await end('a2');
    expect(running).toEqual(['b1', 'a3']);
    await end('b1');
    expect(running).toEqual(['a3', 'b2']);
  });

  it('keeps a slot free for a party that was there a moment ago, no longer', async () => {
    const { running, bring, end } = desk(slots);
    slots.notice('b');
    await bring('a', 'a1', 'a2', 'a3');
    expect(running).toEqual(['a1']);
    await bring('b', 'b1');
    expect(running).toEqual(['a1', 'b1']);
    await end('b1');
    expect(running).toEqual(['a1']);
    time += 1001;
    await end('a1');
    expect(running).toEqual(['a2', 'a3']);
  });

  it('finishes what a party began first before what it began later', async () => {
    const { running, bring, end } = desk(slots);
    slots.notice('b');
    await bring('a', '1', '3', '2', '4');
    await end('1');
    expect(running).toEqual(['2']);
    await end('2');
    expect(running).toEqual(['3']);
  });

  it('gives a slot back when the work fails', async () => {
    slots = new FairSemaphore(1);
    await expect(slots.use('a', '', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(slots.use('a', '', () => Promise.resolve(7))).resolves.toBe(7);
  });

  it('gives nobody more than its own most, also who is alone', async () => {
    slots = new FairSemaphore(2, () => time, 1);
    const { running, bring, end } = desk(slots);
    await bring('a', 'a1', 'a2');
    expect(running).toEqual(['a1']);
    await bring('b', 'b1');
    expect(running).toEqual(['a1', 'b1']);
    await end('a1');
    expect(running).toEqual(['b1', 'a2']);
  });
});
