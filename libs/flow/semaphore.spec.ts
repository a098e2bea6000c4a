import { Semaphore } from './semaphore.js';

describe('Semaphore', () => {
  it('lets so many in, and the others in order', async () => {
    const semaphore = new Semaphore(2);
    const [first] = [await semaphore.acquire(), await semaphore.acquire()];
    const came: string[] = [];
    const third = semaphore.acquire().then((give) => (came.push('third'), give));
    const fourth = semaphore.acquire().then((give) => (came.push('fourth'), give));
    await Promise.resolve();
    expect(came).toEqual([]);
    first();
    first();
    const give = await third;
    expect(came).toEqual(['third']);
    give();
    await fourth;
    expect(came).toEqual(['third', 'fourth']);
  });

  it('gives a place back whose work has failed, and tells how full it is', async () => {
    const semaphore = new Semaphore(1);
    const done: string[] = [];
    const failing = semaphore.run(() => Promise.reject(new Error('failed')));
    const next = semaphore.run(async () => void done.push('next'));
    expect([semaphore.isFull, semaphore.isIdle, semaphore.waiting]).toEqual([true, false, 1]);
    await expect(failing).rejects.toThrow('failed');
    await next;
    expect(done).toEqual(['next']);
    expect([semaphore.isFull, semaphore.isIdle, semaphore.waiting]).toEqual([false, true, 0]);
  });

  it('forgets who does not wait any more', async () => {
    const semaphore = new Semaphore(1);
    const give = await semaphore.acquire();
    const impatient = new AbortController();
    const left = semaphore.acquire(impatient.signal);
    const next = semaphore.acquire();
    impatient.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    give();
    await expect(next).resolves.toBeInstanceOf(Function);
  });
});
