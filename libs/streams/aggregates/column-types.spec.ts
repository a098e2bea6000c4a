import fc from 'fast-check';
import { beyondFloat, changedIn, firstType, fits, widen, type Kinds } from './column-types.js';
import { arrowName } from './declared-type-names.js';

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
const typeForKinds = (seen: Kinds): string | undefined => firstType(seen)?.type;
const kinds = (...entries: [string, number][]) => new Map(entries);
const anyKinds = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...KINDS), fc.integer({ min: 1, max: 9 })),
  { selector: ([kind]) => kind },
);

describe('the type for a new column', () => {
  it.each([
    [kinds(['Int64', 1]), 'Nullable(Int64)'],
    [kinds(['Int64', 5], ['Float64', 1]), 'Nullable(Float64)'],
    // The fewer are rejected: integers that floats would round, or fractions.
    [kinds(['Int64', 5], [beyondFloat('Int64'), 2], ['Float64', 1]), 'Nullable(Int64)'],
    [kinds(['Int64', 5], [beyondFloat('Int64'), 1], ['Float64', 1]), 'Nullable(Float64)'],
    [kinds(['Int64', 5], ['UInt64', 2], [beyondFloat('UInt64'), 2], ['Float64', 1]), 'Nullable(UInt64)'], // prettier-ignore
    [kinds(['Array(Nullable(Int64))', 5], [beyondFloat('Array(Nullable(Int64))'), 2], ['Array(Nullable(Float64))', 1]), 'Array(Nullable(Int64))'], // prettier-ignore
    [kinds(['Int64', 5], ['UInt64', 1]), 'Nullable(UInt64)'],
    [kinds(['None', 9], ['Bool', 1]), 'Nullable(Bool)'],
    [kinds(['JSON', 2], ['Int64', 3]), 'Nullable(Int64)'],
    [kinds(['JSON', 2], ['Int64', 2]), 'Nullable(Int64)'],
    [kinds(['JSON', 2], ['Array(JSON)', 3]), 'Array(JSON)'],
    [kinds(['JSON', 2], ['Int64', 1], ['Bool', 1]), 'Nullable(String)'],
    [kinds(['JSON', 3], ['Int64', 1], ['Bool', 1]), 'Nullable(JSON)'],
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

  it.each([
    [kinds(['String', 9], ['Int64', 1]), 'scalars'],
    [kinds(['Bool', 1], ['Float64', 1], ['None', 5]), 'scalars'],
    [kinds(['Array(Dynamic)', 2], [changedIn('Array(Dynamic)'), 1]), 'arrays'],
    [kinds(['Array(JSON)', 2], [changedIn('Array(JSON)'), 1]), 'arrays'],
    // Objects of one kind are kept where no others are beside them.
    [kinds(['Array(JSON)', 2], [changedIn('Array(Dynamic)'), 1]), undefined],
    [kinds(['Array(Nullable(Int64))', 2], ['Array(JSON)', 1], [changedIn('Array(Dynamic)'), 1]), 'arrays'], // prettier-ignore
    [kinds(['String', 9], ['Array(Dynamic)', 2], [changedIn('Array(Dynamic)'), 1]), undefined],
    [kinds(['Int64', 1], ['Float64', 1], ['UInt64', 1]), undefined],
  ])('keeps as they were written what no other column takes: %j', (seen, verbatim) => {
    expect(firstType(seen)?.verbatim).toBe(verbatim);
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
      'Nullable(Nothing)',
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
    'Null',
  ]);
});

describe('types that a source tells', () => {
  it.each([
    [kinds(['Int32', 1]), 'Nullable(Int32)'],
    [kinds(['Date32', 5], ['None', 1]), 'Nullable(Date32)'],
    [kinds(['Date32', 5], ['DateTime64(6)', 1]), 'Nullable(DateTime64(6))'],
    [kinds(['DateTime64(6)', 5], ["DateTime64(6, 'UTC')", 1]), 'Nullable(String)'],
    [kinds(['Date32', 5], ['String', 1]), 'Nullable(String)'],
    [kinds(['Decimal(15, 2)', 1]), 'Nullable(Decimal(15, 2))'],
    [kinds(['Array(Nullable(Int16))', 1]), 'Array(Nullable(Int16))'],
    [kinds(['Array(Nullable(UUID))', 1]), 'Array(Nullable(UUID))'],
  ])('are the column’s: %j', (seen, type) => {
    expect(typeForKinds(seen)).toBe(type);
  });

  it.each([
    ['Nullable(Int32)', kinds(['Int32', 1]), undefined],
    ['Nullable(Int32)', kinds(['Int64', 1]), 'Nullable(Int64)'],
    ['Nullable(Int32)', kinds(['Float64', 1]), 'Nullable(Float64)'],
    ['Nullable(Int32)', kinds(['Int64', 1], [beyondFloat('Int64'), 1], ['Float64', 1]), 'Nullable(Int64)'], // prettier-ignore
    ['Nullable(UInt8)', kinds(['Int8', 1]), 'Nullable(Int16)'],
    ['Nullable(UInt64)', kinds(['Int64', 1]), undefined],
    ['Nullable(Float32)', kinds(['Float64', 1]), 'Nullable(Float64)'],
    ['Nullable(Float64)', kinds(['Int64', 1], ['Float32', 1]), undefined],
    ['Nullable(Decimal(15, 2))', kinds(['Decimal(10, 4)', 1]), 'Nullable(Decimal(17, 4))'],
    ['Nullable(Decimal(15, 2))', kinds(['Int64', 1], ['String', 1]), undefined],
    ['Nullable(Date32)', kinds(['DateTime64(3)', 1]), 'Nullable(DateTime64(3))'],
    ['Nullable(DateTime64(3))', kinds(['DateTime64(6)', 1]), 'Nullable(DateTime64(6))'],
    ['Nullable(DateTime64(6))', kinds(['DateTime64(9)', 1]), undefined],
    ['Nullable(DateTime64(6))', kinds(["DateTime64(6, 'UTC')", 1]), undefined],
    ['Nullable(String)', kinds(['Date32', 1]), undefined],
    ['Nullable(Int64)', kinds(['Float32', 1]), 'Nullable(Float64)'],
    ['Array(Nullable(Int64))', kinds(['Array(Nullable(Float32))', 1]), 'Array(Nullable(Float64))'],
    ['Nullable(Int64)', kinds(['Decimal(18, 0)', 1]), undefined],
    ['Nullable(UInt64)', kinds(['Decimal(18, 0)', 1]), 'Nullable(Decimal(20, 0))'],
    ['Array(Nullable(Int8))', kinds(['Array(Nullable(Int32))', 1]), 'Array(Nullable(Int32))'],
  ])('%s widens by %j to %s', (type, seen, wider) => {
    expect(widen(type, seen)).toBe(wider);
  });
});
