import fc from 'fast-check';
import {
  advance,
  missing,
  planFetch,
  sameReaches,
  type BatchRows,
  type Reaches,
} from './plan-fetch.js';

/** Batches of a few partitions in the order of their offsets, as the hosted side tells them. */
const stored: fc.Arbitrary<readonly BatchRows[]> = fc
  .uniqueArray(
    fc.record({
      partition: fc.nat({ max: 3 }),
      offset: fc.nat({ max: 40 }),
      rows: fc.integer({ min: 1, max: 9 }),
    }),
    { selector: ({ partition, offset }) => `${partition}/${offset}`, maxLength: 60 },
  )
  .map((all) => all.sort((a, b) => a.partition - b.partition || a.offset - b.offset));

const NOTHING: Reaches = new Map();
const EVERYTHING: Reaches = new Map([0, 1, 2, 3].map((each) => [each, { last: 99, rows: 0 }]));
const reachesOf = (all: readonly BatchRows[]): Reaches => advance(NOTHING, all, EVERYTHING);

describe('the plan of a fetch', () => {
  it('is each batch that is wanted and not known, once, however it is cut', () => {
    fc.assert(
      fc.property(
        stored,
        fc.nat({ max: 40 }),
        fc.integer({ min: 1, max: 30 }),
        (all, cut, size) => {
          const known = reachesOf(all.filter(({ offset }) => offset <= cut));
          const wanted = reachesOf(all);
          const chunks = planFetch(all, known, wanted, size);
          const fetched = chunks.map(({ ranges }) =>
            all.filter(({ partition, offset }) =>
              ranges.some(
                (range) =>
                  range.partition === partition && offset > range.after && offset <= range.upTo,
              ),
            ),
          );
          expect(fetched.flat()).toEqual(all.filter(({ offset }) => offset > cut));
          expect(
            fetched.map((batches) => batches.reduce((sum, { rows }) => sum + rows, 0)),
          ).toEqual(chunks.map(({ rows }) => rows));
          for (const [index, batches] of fetched.entries())
            expect(batches.length === 1 || (chunks[index]?.rows ?? 0) <= size).toBe(true);
          expect(sameReaches(advance(known, all, wanted), wanted)).toBe(true);
        },
      ),
    );
  });

  it('leaves out what came after it was asked how far the rows reach', () => {
    const wanted: Reaches = new Map([[1, { last: 4, rows: 3 }]]);
    const batches = [
      { partition: 1, offset: 4, rows: 3 },
      { partition: 1, offset: 5, rows: 1 },
      { partition: 2, offset: 0, rows: 1 },
    ];
    expect(planFetch(batches, NOTHING, wanted)).toEqual([
      { ranges: [{ partition: 1, after: -1, upTo: 4 }], rows: 3 },
    ]);
    expect(missing(wanted, wanted)).toBeUndefined();
  });

  it('shows that rows are gone', () => {
    const known: Reaches = new Map([[1, { last: 4, rows: 3 }]]);
    expect(sameReaches(known, new Map([[1, { last: 4, rows: 2 }]]))).toBe(false);
    expect(sameReaches(known, NOTHING)).toBe(false);
    expect(sameReaches(known, new Map([[2, { last: 4, rows: 3 }]]))).toBe(false);
  });
});
