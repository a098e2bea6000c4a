import fc from 'fast-check';
import { KeyedMutex } from './keyed-mutex.js';

/** Work that ends when it is told to. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('a keyed queue', () => {
  it('runs work of one key one after the other, in order, whatever fails in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.boolean()), { maxLength: 20 }),
        async (scheduler, jobs) => {
          const queue = new KeyedMutex();
          const running = new Set<string>();
          const ended: Record<string, number[]> = { a: [], b: [] };
          const all = jobs.map(([key, fails], index) =>
            queue.run(key, async () => {
              expect(running.has(key)).toBe(false);
              running.add(key);
              await scheduler.schedule(Promise.resolve(), `${key}${index}`);
              running.delete(key);
              ended[key]?.push(index);
              if (fails) throw new Error(`job ${index}`);
              return index;
            }),
          );
          const settled = Promise.allSettled(all);
          await scheduler.waitFor(settled);
          const outcomes = await settled;
          expect(outcomes.map(({ status }) => status)).toEqual(
            jobs.map(([, fails]) => (fails ? 'rejected' : 'fulfilled')),
          );
          for (const key of ['a', 'b'])
            expect(ended[key]).toEqual(
              jobs.flatMap(([each], index) => (each === key ? index : [])),
            );
        },
      ),
    );
  });

  it('lets nobody wait for another key', async () => {
    const queue = new KeyedMutex();
    const { opened, open } = gate();
    const slow = queue.run('a', () => opened);
    expect(await queue.run('b', () => Promise.resolve('b'))).toBe('b');
    open();
    await slow;
  });

  it('lets work with several keys wait for each of them, and each of them for it', async () => {
    const queue = new KeyedMutex();
    const [first, both] = [gate(), gate()];
    const ended: string[] = [];
    const run = (key: string | readonly string[], name: string, until = Promise.resolve()) =>
      queue.run(key, async () => {
        await until;
        ended.push(name);
      });
    const all = [
      run('a', 'first', first.opened),
      run(['a', 'b'], 'both', both.opened),
      run('b', 'after both'),
      run('c', 'other'),
    ];
    await all[3];
    both.open();
    await new Promise(setImmediate);
    expect(ended).toEqual(['other']);
    first.open();
    await Promise.all(all);
    expect(ended).toEqual(['other', 'first', 'both', 'after both']);
    expect((queue as unknown as { last: Map<string, unknown> }).last.size).toBe(0);
  });

  it('takes work that throws at once for work that fails', async () => {
    const queue = new KeyedMutex();
    const failing = queue.run('a', () => {
      throw new Error('at once');
    });
    const next = queue.run('a', () => Promise.resolve(2));
    await expect(failing).rejects.toThrow('at once');
    expect(await next).toBe(2);
  });

  it('tells work the error of the work before it, and nothing else', async () => {
    const queue = new KeyedMutex();
    const told: unknown[] = [];
    const note = (failure: unknown): Promise<void> => Promise.resolve(void told.push(failure));
    const error = new Error('failed');
    const failing = queue.run('a', () => Promise.reject(error));
    const waiting = [queue.run('a', note), queue.run('a', note), queue.run('b', note)];
    await expect(failing).rejects.toBe(error);
    await Promise.all(waiting);
    await queue.run('a', note);
    expect(told).toEqual([undefined, error, undefined, undefined]);
  });

  it('keeps nothing of keys whose work is done', async () => {
    const queue = new KeyedMutex();
    await Promise.all(['a', 'a', 'b'].map((key) => queue.run(key, () => Promise.resolve())));
    expect((queue as unknown as { last: Map<string, unknown> }).last.size).toBe(0);
  });
});
