import { PositionWaiters } from './position-waiters.js';

describe('those who wait for a position', () => {
  const late = (): Error => new Error('late');
  const still = (): number => 0;
  const patient = { maxWaitMs: 60_000, movedAt: still, late };

  it('give up each at its own time, and nobody with another', async () => {
    const waiters = new PositionWaiters();
    const waiting = waiters.wait(2n, patient);
    await expect(waiters.wait(1n, { ...patient, maxWaitMs: 1 })).rejects.toThrow('late');
    waiters.resolve((position) => position <= 2n);
    await waiting;
  });

  it('wait on as long as there is progress, and no longer', async () => {
    const waiters = new PositionWaiters();
    const maxWaitMs = 150;
    let [position, moved] = [0n, 0];
    const moving = setInterval(() => {
      position += 1n;
      moved = performance.now();
      waiters.resolve((each) => each <= position);
    }, maxWaitMs / 10);
    const terms = { maxWaitMs, movedAt: () => moved, late };
    const far = waiters.wait(40n, terms);
    const beyond = waiters.wait(1000n, terms);
    const given = expect(beyond).rejects.toThrow('late');
    await far;
    clearInterval(moving);
    await given;
  });

  it('are all told what concerns all, and each what concerns it', async () => {
    const waiters = new PositionWaiters();
    const [one, ...others] = [1n, 2n, 3n].map((position) => waiters.wait(position, patient));
    waiters.reject(new Error('it fails'), (position) => position === 1n);
    await expect(one).rejects.toThrow('it fails');
    waiters.reject(new Error('it ends'));
    for (const each of others) await expect(each).rejects.toThrow('it ends');
  });
});
