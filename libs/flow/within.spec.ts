import { within } from './within.js';

const never = new Promise<never>(() => undefined);

describe('within', () => {
  it('gives the result of work that is done in time, or its failure', async () => {
    await expect(within(60_000, Promise.resolve(1), () => 2)).resolves.toBe(1);
    await expect(within(60_000, Promise.reject(new Error('failed')), () => 2)).rejects.toThrow(
      'failed',
    );
  });

  it('gives what late makes, or throws it', async () => {
    await expect(within(1, never, () => 'late')).resolves.toBe('late');
    await expect(
      within(1, never, () => {
        throw new Error('too late');
      }),
    ).rejects.toThrow('too late');
  });
});
