import { SignUpPace } from './sign-up-pace.js';

const from = (network: number, host: number) => ({
  prefix: `10.${network >> 8}.${network & 255}.${host}`,
  network: `10.${network >> 8}.${network & 255}.0/24`,
});
const nothing = (): Promise<void> => Promise.resolve();

describe('the pace of sign-ups', () => {
  it('holds a prefix, then its network, then all, and lets others go on meanwhile', async () => {
    const pace = new SignUpPace();
    const tries = async (network: number, host: number, count: number): Promise<number> => {
      const outcomes = [];
      for (let each = 0; each < count; each += 1)
        outcomes.push(
          await pace.run(from(network, host), nothing).then(
            () => 1,
            () => 0,
          ),
        );
      return outcomes.reduce<number>((sum, each) => sum + each, 0);
    };
    expect(await tries(0, 1, 20)).toBe(10);
    // A request that its prefix refused does not count for the network.
    expect(await tries(0, 2, 20)).toBe(10);
    expect(await tries(0, 3, 20)).toBe(10);
    expect(await tries(0, 4, 20)).toBe(10);
    expect(await tries(0, 5, 20)).toBe(0);
    expect(await tries(1, 1, 1)).toBe(1);
    for (let network = 2; network < 40; network += 1) await tries(network, 1, 10);
    await expect(pace.run(from(99, 1), nothing)).rejects.toMatchObject({
      kind: 'TOO_MANY_REQUESTS',
    });
  });

  it('does one at a time, and refuses what would wait too long', async () => {
    const pace = new SignUpPace();
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((go) => setImmediate(go));
      running -= 1;
    };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => pace.run(from(0, 1), work)),
    );
    expect(most).toBe(1);
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(done).toBe(5);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { kind: 'TOO_MANY_REQUESTS' },
    });
  });
});
