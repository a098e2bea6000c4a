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

  it('wait on as long as positions come nearer, and no longer', async () => {
    const waiters = new PositionWaiters();
    const patience = 150;
    let position = 0n;
    const moving = setInterval(() => waiters.reached((position += 1n)), patience / 10);
    const far = waiters.wait(40n, patience, late);
    const beyond = waiters.wait(1000n, patience, late);
    const given = expect(beyond).rejects.toThrow('late');
    await far;
    clearInterval(moving);
    await given;
  });

  it('are all told what concerns all', async () => {
    const waiters = new PositionWaiters();
    const waiting = [1n, 2n].map((position) => waiters.wait(position, 60_000, late));
    waiters.reject(new Error('it ends'));
    for (const each of waiting) await expect(each).rejects.toThrow('it ends');
  });
});
