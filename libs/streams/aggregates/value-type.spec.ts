import fc from 'fast-check';
import { declarableName, declaredType } from './declared-type-names.js';
import { holds, readValueType, widest, writeValueType, type ValueType } from './value-type.js';

const anyType: fc.Arbitrary<ValueType> = fc.oneof(
  fc.record({
    family: fc.constant('integer' as const),
    bits: fc.constantFrom(8 as const, 16 as const, 32 as const, 64 as const),
    isSigned: fc.boolean(),
  }),
  fc.record({
    family: fc.constant('float' as const),
    bits: fc.constantFrom(32 as const, 64 as const),
  }),
  fc.tuple(fc.integer({ min: 1, max: 76 }), fc.nat()).map(([precision, scale]) => ({
    family: 'decimal' as const,
    precision,
    scale: scale % (precision + 1),
  })),
  fc
    .constantFrom('boolean' as const, 'text' as const, 'uuid' as const, 'date' as const)
    .map((family) => ({ family })),
  fc.record({
    family: fc.constant('timestamp' as const),
    digits: fc.constantFrom(0, 3, 6, 9),
    isUtc: fc.boolean(),
  }),
  fc.record({ family: fc.constant('time' as const), digits: fc.constantFrom(3, 6, 9) }),
  fc.constant({ family: 'binary' as const }),
  fc.record({
    family: fc.constant('binary' as const),
    bytes: fc.integer({ min: 1, max: 192 }),
  }),
);

describe('types of single values', () => {
  it('are read as they are written, by the engine and by who declares them', () => {
    fc.assert(
      fc.property(anyType, (type) => {
        const name = `Nullable(${writeValueType(type)})`;
        expect(readValueType(name)).toEqual(type);
        expect(declaredType(declarableName(name))).toBe(name);
        const list = `Array(${name})`;
        expect(declaredType(declarableName(list))).toBe(list);
      }),
    );
  });

  it('have a widest that holds both, whichever comes first', () => {
    fc.assert(
      fc.property(anyType, anyType, (a, b) => {
        const wider = widest(a, b);
        expect(widest(b, a)).toEqual(wider);
        if (wider) expect([holds(wider, a), holds(wider, b)]).toEqual([true, true]);
        expect(holds(a, a)).toBe(true);
      }),
    );
  });

  it.each([
    'Decimal128(2, 3)',
    'Decimal128(77, 0)',
    'Decimal128(x, 0)',
    'Timestamp(Day, UTC)',
    'Timestamp(Second)',
    'Time64(Microsecond, UTC)',
    'List<List<Int64>>',
    'Int128',
    'FixedSizeBinary(0)',
    'FixedSizeBinary',
    'toString',
  ])(
    // prettier-ignore
    'are not declared by %s',
    (name) => {
      expect(declaredType(name)).toBeUndefined();
    },
  );
});
