import fc from 'fast-check';
import { binsOf } from './bins.js';

it('leaves no record out, whatever the range', () => {
  const bucket = fc.record({
    at: fc.integer({ min: 0, max: 10_000_000 }),
    records: fc.integer({ min: 1, max: 1000 }),
  });
  const start = fc.option(fc.integer({ min: 0, max: 10_000_000 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(bucket), start, (buckets, from) => {
      const bins = binsOf(buckets, from, 10_000_001);
      const sum = (all: readonly { records: number }[]): number =>
        all.reduce((total, { records }) => total + records, 0);
      expect(sum(bins)).toBe(sum(buckets));
      expect(bins.length).toBeLessThanOrEqual(60);
      expect(bins.map(({ at }) => at)).toEqual(
        bins.map(({ at }) => at).toSorted((one, other) => one - other),
      );
    }),
  );
});

it('puts a record where its time is', () => {
  const bins = binsOf([{ at: 590, records: 7 }], 0, 600);
  expect(bins).toHaveLength(60);
  expect(bins.at(-1)).toEqual({ at: 590, records: 7 });
});
