import { ofGivenType, writeGivenType, type GivenType } from './given-type.js';
import { mayDiffer, moreGiven, withGiven, type GivenColumn } from './source-types.js';

const struct = (fields: Readonly<Record<string, GivenType>>): GivenType => ({
  struct: Object.entries(fields).map(([name, type]) => ({ name, type })),
});
const K = { name: 'k', type: 'Nullable(JSON)' };
const kinds = (...all: string[]): ReadonlyMap<string, number> => new Map(all.map((each) => [each, 1])); // prettier-ignore
const came = (...types: GivenType[]): ReadonlyMap<string, ReadonlyMap<string, number>> =>
  new Map([['k', kinds(isListType(types[0]) ? 'Array(JSON)' : 'JSON', ...types.map(ofGivenType))]]);
/** A stream with the column, if its type is known. */
const schema = (given: readonly GivenColumn[]) => ({
  columns: given.map(({ name, type }) => ({
    name,
    type: isListType(type) ? 'Array(JSON)' : K.type,
  })),
  given,
});
const isListType = (type: GivenType | undefined): boolean =>
  typeof type === 'object' && 'list' in type;
const A = struct({ a: 'Int8', l: { list: 'Decimal(5, 1)' } });

describe('the type that a source gave', () => {
  it.each<[GivenType, string]>([
    [A, 'Nullable(Tuple(`a` Nullable(Int8), `l` Array(Nullable(Decimal(5, 1)))))'],
    [{ list: struct({ 'a b': 'Bool' }) }, 'Array(Tuple(`a b` Nullable(Bool)))'],
    [{ map: ['Date32', A] }, 'Map(Date32, Tuple(`a` Nullable(Int8), `l` Array(Nullable(Decimal(5, 1)))))'], // prettier-ignore
    [struct({ in: struct({ x: 'UUID' }) }), 'Nullable(Tuple(`in` Nullable(Tuple(`x` Nullable(UUID)))))'], // prettier-ignore
  ])('is written for the engine: %j', (type, written) => {
    expect(writeGivenType(type)).toBe(written);
  });

  it('begins with a column, and not later', () => {
    expect(moreGiven(schema([]), [K], came(A))).toEqual([{ name: 'k', type: A }]);
    expect(moreGiven(schema([]), [], came(A))).toEqual([]);
    expect(moreGiven(schema([]), [K], new Map([['k', kinds('JSON')]]))).toEqual([]);
    expect(moreGiven(schema([]), [{ name: 'k', type: 'Nullable(String)' }], came(A))).toEqual([]);
  });

  it.each<[GivenType, GivenType, GivenType | undefined]>([
    [struct({ a: 'Int8' }), struct({ a: 'Int64' }), struct({ a: 'Int64' })],
    [struct({ a: 'Int8' }), struct({ b: 'Date32' }), struct({ a: 'Int8', b: 'Date32' })],
    [struct({ a: 'Date32' }), struct({ a: "DateTime64(6, 'UTC')" }), struct({ a: "DateTime64(6, 'UTC')" })], // prettier-ignore
    [{ list: 'Decimal(5, 1)' }, { list: 'Decimal(6, 3)' }, { list: 'Decimal(7, 3)' }],
    [{ map: ['Int8', 'Bool'] }, { map: ['Int16', 'Bool'] }, { map: ['Int16', 'Bool'] }],
    [struct({ a: 'Int8' }), struct({ a: 'String' }), undefined],
    [struct({ a: 'Int8' }), { map: ['String', 'Int8'] }, undefined],
    [struct({ a: 'Int8' }), struct({ a: { list: 'Int8' } }), undefined],
  ])('of %j and %j is %j', (before, next, type) => {
    const known = [{ name: 'k', type: before }];
    expect(moreGiven(schema(known), [], came(next))).toEqual([
      { name: 'k', ...(type !== undefined && { type }) },
    ]);
    expect(withGiven(known, moreGiven(schema(known), [], came(next)))).toHaveLength(1);
  });

  it('stays where the same comes, or nothing, and ends with values of none, for good', () => {
    const known = [{ name: 'k', type: A }];
    expect(moreGiven(schema(known), [], came(A))).toEqual([]);
    const nothing = new Map([['k', kinds('None', 'Array(Nothing)')]]);
    expect(moreGiven(schema(known), [], nothing)).toEqual([]);
    const rejected = new Map([['k', kinds('String', 'Int64')]]);
    expect(moreGiven(schema(known), [], rejected)).toEqual([]);
    const records = new Map([['k', kinds('JSON')]]);
    const ended = moreGiven(schema(known), [], records);
    expect(ended).toEqual([{ name: 'k' }]);
    expect(moreGiven(schema(withGiven(known, ended)), [], came(A))).toEqual([]);
    expect([records, nothing].map((survey) => mayDiffer('k', survey.get('k') ?? kinds(), known))).toEqual([true, false]); // prettier-ignore
    expect(mayDiffer('k', kinds('JSON'), ended)).toBe(false);
  });

  it('is not kept when it is nested deeper than Arrow is written', () => {
    const nested = (depth: number): GivenType =>
      depth === 0 ? 'Int8' : { list: struct({ x: nested(depth - 1) }) };
    const listed = { name: 'k', type: 'Array(JSON)' };
    expect(moreGiven(schema([]), [listed], came(nested(24)))).toHaveLength(1);
    expect(moreGiven(schema([]), [listed], came(nested(33)))).toEqual([]);
  });

  it('is not kept when it is very long', () => {
    const wide = struct(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`f${n}`, 'Int8']))); // prettier-ignore
    expect(moreGiven(schema([]), [K], came(wide))).toEqual([]);
    expect(moreGiven(schema([{ name: 'k', type: A }]), [], came(wide))).toEqual([{ name: 'k' }]);
  });
});
