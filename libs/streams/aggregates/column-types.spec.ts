import fc from 'fast-check';
import { arrowName, fits, typeForKinds, widen } from './column-types.js';

const KINDS = [
  'Int64',
  'UInt64',
  'Float64',
  'Bool',
  'String',
  'JSON',
  'None',
  'Array(Nothing)',
  'Array(Nullable(Int64))',
  'Array(Nullable(UInt64))',
  'Array(Nullable(Float64))',
  'Array(Nullable(Bool))',
  'Array(Nullable(String))',
  'Array(JSON)',
  'Array(Dynamic)',
];
const kinds = (...entries: [string, number][]) => new Map(entries);
const anyKinds = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...KINDS), fc.integer({ min: 1, max: 9 })),
  { selector: ([kind]) => kind },
);

describe('the type for a new column', () => {
  it.each([
    [kinds(['Int64', 1]), 'Nullable(Int64)'],
    [kinds(['Int64', 5], ['Float64', 1]), 'Nullable(Float64)'],
    [kinds(['Int64', 5], ['UInt64', 1]), 'Nullable(UInt64)'],
    [kinds(['None', 9], ['Bool', 1]), 'Nullable(Bool)'],
    [kinds(['String', 2], ['Int64', 3]), 'Nullable(Int64)'],
    [kinds(['String', 2], ['Int64', 2]), 'Nullable(String)'],
    [
      kinds(['Array(Nullable(Int64))', 1], ['Array(Nullable(Float64))', 1]),
      'Array(Nullable(Float64))',
    ],
    [kinds(['Array(Nullable(Int64))', 1], ['Array(Nullable(String))', 1]), 'Array(Dynamic)'],
    [kinds(['Array(Nothing)', 5], ['Array(JSON)', 1]), 'Array(JSON)'],
    [kinds(['None', 5], ['Array(Nothing)', 1]), undefined],
    [kinds(), undefined],
  ])('is decided by what was seen', (seen, type) => {
    expect(typeForKinds(seen)).toBe(type);
  });

  it('does not depend on the order in which kinds were seen', () => {
    fc.assert(
      fc.property(anyKinds, fc.infiniteStream(fc.integer()), (entries, keys) => {
        const shuffled = entries
          .map((entry) => ({ entry, key: keys.next().value as number }))
          .sort((a, b) => a.key - b.key);
        expect(typeForKinds(new Map(shuffled.map(({ entry }) => entry)))).toBe(
          typeForKinds(new Map(entries)),
        );
      }),
    );
  });

  it('takes the only kind there is', () => {
    for (const kind of KINDS.filter((each) => each !== 'None' && each !== 'Array(Nothing)')) {
      const type = typeForKinds(kinds([kind, 1])) ?? '';
      expect([kind, fits(type, kind)]).toEqual([kind, true]);
    }
  });
});

describe('widening', () => {
  it('goes from integers to floats and nowhere else, and keeps what fitted', () => {
    fc.assert(
      fc.property(anyKinds, anyKinds, (before, after) => {
        const type = typeForKinds(new Map(before));
        if (type === undefined) return;
        const wider = widen(type, new Map(after));
        if (wider === undefined) return;
        expect(wider).toBe(type.replace('Int64', 'Float64'));
        for (const kind of KINDS) if (fits(type, kind)) expect(fits(wider, kind)).toBe(true);
        expect(widen(wider, new Map(after))).toBeUndefined();
      }),
    );
  });
});

it('shows types by their names in Arrow', () => {
  expect(
    [
      "DateTime64(6, 'UTC')",
      'Nullable(String)',
      'LowCardinality(String)',
      'Nullable(Int64)',
      'UInt64',
      'Nullable(Float64)',
      'Nullable(Bool)',
      'JSON',
      'Array(JSON)',
    ].map(arrowName),
  ).toEqual([
    'Timestamp',
    'Utf8',
    'Utf8',
    'Int64',
    'UInt64',
    'Float64',
    'Boolean',
    'Struct',
    'List',
  ]);
});
