import { firstThatFails } from './first-that-fails.js';

describe('the first of many with which something fails', () => {
  const all = Array.from({ length: 100 }, (_, n) => n);
  const found = async (bad: readonly number[]) => {
    let tries = 0;
    const first = await firstThatFails(all, (count) => {
      tries += 1;
      return Promise.resolve(!bad.some((each) => each < count));
    });
    return { first, tries };
  };

  it.each([[[0]], [[99]], [[40]], [[40, 70]]])('is found in few tries: %j', async (bad) => {
    const { first, tries } = await found(bad);
    expect(first).toBe(bad[0]);
    expect(tries).toBeLessThan(10);
  });

  it('is none where it fails without any of them', async () => {
    expect(await firstThatFails(all, () => Promise.resolve(false))).toBeUndefined();
  });

  it('is none where it has failed once only: nobody is at fault', async () => {
    expect(await found([])).toMatchObject({ first: undefined });
  });
});
