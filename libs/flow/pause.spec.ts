import { pause } from './pause.js';

describe('a pause', () => {
  it('takes so long', async () => {
    const since = performance.now();
    await pause(20);
    expect(performance.now() - since).toBeGreaterThan(18);
  });

  it('ends at once when the signal aborts, or has aborted, and throws nothing', async () => {
    const ending = new AbortController();
    const since = performance.now();
    const paused = pause(60_000, ending.signal);
    ending.abort(new Error('over'));
    await paused;
    await pause(60_000, ending.signal);
    expect(performance.now() - since).toBeLessThan(10_000);
  });
});
