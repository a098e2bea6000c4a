import { DiskPace } from './disk-pace.js';

const MB = 1_000_000;

describe('DiskPace', () => {
  const after = async (...syncs: readonly (readonly [bytes: number, ms: number])[]) => {
    let clock = 0;
    const pace = new DiskPace(() => clock);
    for (const [bytes, ms] of syncs)
      expect(
        await pace.measure(bytes, () => {
          clock += ms;
          return Promise.resolve(bytes);
        }),
      ).toBe(bytes);
    return pace.isFast;
  };

  it.each<[string, readonly (readonly [number, number])[], boolean]>([
    ['is slow until it is known', [], false],
    ['is fast at 1 GB/s', [[80 * MB, 80]], true],
    ['is slow at 125 MB/s', [[80 * MB, 640]], false],
    ['learns nothing from few bytes', [[MB, 1]], false],
    ['forgets nothing because of few bytes', [[80 * MB, 80], [MB, 100]], true], // prettier-ignore
    ['becomes slow', [[80 * MB, 80], [80 * MB, 640]], false], // prettier-ignore
    ['becomes fast again', [[80 * MB, 640], [10 * MB, 10]], true], // prettier-ignore
  ])('%s', async (_, syncs, isFast) => {
    expect(await after(...syncs)).toBe(isFast);
  });

  it('learns nothing from what fails', async () => {
    const pace = new DiskPace(() => 0);
    await expect(pace.measure(80 * MB, () => Promise.reject(new Error('full')))).rejects.toThrow(
      'full',
    );
    expect(pace.isFast).toBe(false);
  });
});
