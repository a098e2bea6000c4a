import { PositionWaiters } from './position-waiters.js';

describe('those who wait for a position', () => {
  const late = (): Error => new Error('late');

  it('give up each at its own time, and nobody with another', async () => {
    const waiters = new PositionWaiters();
    const patient = waiters.wait(2n, 60_000, late);
    await expect(waiters.wait(1n, 1, late)).rejects.toThrow('late');
    waiters.reached(2n);
    await patient;
  });

  it('are all told what concerns all', async () => {
    const waiters = new PositionWaiters();
    const waiting = [1n, 2n].map((position) => waiters.wait(position, 60_000, late));
    waiters.reject(new Error('it ends'));
    for (const each of waiting) await expect(each).rejects.toThrow('it ends');
  });
});
