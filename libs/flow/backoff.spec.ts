import { Backoff } from './backoff.js';

describe('Backoff', () => {
  /** Waits without spending the time: an aborted signal ends each pause. */
  const ended = AbortSignal.abort();

  it('doubles its pauses up to its bound, and begins anew after a success', async () => {
    const backoff = new Backoff({ first: 100, most: 350 });
    const pauses: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      pauses.push(backoff.pauseMs);
      await backoff.wait(ended);
    }
    expect(pauses).toEqual([100, 200, 350, 350]);
    backoff.reset();
    expect(backoff.pauseMs).toBe(100);
  });

  it('draws a pause between half of the longest and the longest, and not always the same', () => {
    const backoff = new Backoff({ first: 1000, most: 1000 });
    const drawn = Array.from({ length: 1000 }, () => backoff.take());
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(1000);
    expect(Math.min(...drawn)).toBeLessThan(600);
    expect(Math.max(...drawn)).toBeGreaterThan(900);
  });

  it('pauses for as long as it draws', async () => {
    const begin = performance.now();
    await new Backoff({ first: 100, most: 100 }).wait();
    expect(performance.now() - begin).toBeGreaterThanOrEqual(49);
  });

  it('ends a pause when it is told to stop', async () => {
    const stopping = new AbortController();
    const waiting = new Backoff({ first: 3_600_000, most: 3_600_000 }).wait(stopping.signal);
    stopping.abort();
    await expect(waiting).resolves.toBeUndefined();
  });
});
