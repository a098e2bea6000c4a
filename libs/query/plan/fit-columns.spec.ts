import { readElement, readEngineType } from './engine-type.js';
import { fitColumns } from './fit-columns.js';

const one = (type: string, format: 'csv' | 'parquet' | 'arrow-file'): string =>
  fitColumns('SELECT 1', [{ name: 'x', type }], format).sql;

describe('columns of a format', () => {
  it.each([
    ['Variant(String, UInt8)', 'Nullable(String)'],
    ['Nullable(Nothing)', 'Nullable(String)'],
    ['Array(Nothing)', 'Array(Nullable(String))'],
    ["Array(Nullable(Enum8('a, \\'(' = 1, ')' = 2)))", undefined],
    ['Map(String, Variant(Array(UInt8), String))', 'Map(String, Nullable(String))'],
    [
      'Tuple(`a b(` IPv4, c Tuple(Int8, Dynamic))',
      'Tuple(`a b(` String, c Tuple(Int8, Nullable(String)))',
    ],
    ['LowCardinality(Nullable(String))', undefined],
    [
      'Tuple(Nullable(SimpleAggregateFunction(anyLast, FixedString(8))))',
      'Tuple(Nullable(String))',
    ],
    ['Map(String, SimpleAggregateFunction(any, String))', 'Map(String, String)'],
    ['SimpleAggregateFunction(anyLast, Nullable(IPv6))', 'Nullable(String)'],
    ['JSON(max_dynamic_paths=8, a.b UInt8)', undefined],
  ])('%s becomes %s in Parquet', (type, target) => {
    const quoted = target === undefined ? undefined : `CAST(c0, '${target}')`;
    expect(one(type, 'parquet')).toBe(
      quoted === undefined
        ? 'SELECT 1'
        : `SELECT ${quoted} AS \`x\` FROM (\nSELECT 1\n) AS fitted(c0)`,
    );
  });

  it.each([
    ["DateTime('Europe/Berlin')", "DateTime64(0, \\'Europe/Berlin\\')"],
    ['Nullable(DateTime)', 'Nullable(DateTime64(0))'],
    ["Array(Nullable(Enum8('a, \\'(' = 1, ')' = 2)))", 'Array(Nullable(String))'],
    ['AggregateFunction(uniq, String)', 'String'],
  ])('%s becomes %s in Arrow', (type, target) => {
    expect(one(type, 'arrow-file')).toContain(`CAST(c0, '${target}')`);
  });

  it('leaves bytes base64 text where the answer cannot say that they are bytes', () => {
    const type = 'Nullable(SimpleAggregateFunction(any, FixedString(8)))';
    const { sql } = fitColumns('SELECT 1', [{ name: 'x', type }], 'arrow-file', undefined, false);
    expect(sql).toContain("CAST(c0, 'Nullable(String)')");
  });

  it('shows times within structs without a zone, as far as the engine takes such expressions', () => {
    const ofFields = (count: number): string =>
      `Tuple(${Array.from({ length: count }, (_, at) => `field${at} DateTime64(6)`).join(', ')})`;
    expect(one('Nullable(Tuple(a DateTime64(6)))', 'csv')).toContain("if(isNull(c0), NULL, CAST(tuple(replaceOne(toString(tupleElement(c0, 1)), ' ', 'T'))"); // prettier-ignore
    expect(one(ofFields(1_500), 'csv')).toContain('tupleElement(c0, 1500)');
    expect(one(ofFields(4_000), 'csv')).toContain('SELECT toJSONString(c0) AS `x`');
  });

  it('leaves a statement as it is where nothing changes, or two columns of several types have one name', () => {
    expect(one('Nullable(String)', 'csv')).toBe('SELECT 1');
    const twice = [
      { name: 'x', type: 'Array(UInt8)' },
      { name: 'x', type: 'UInt8' },
    ];
    expect(fitColumns('SELECT 1', twice, 'csv').sql).toBe('SELECT 1');
  });

  it('fits columns that have one name, and names them so', () => {
    const bytes = { name: 'x', type: 'Nullable(SimpleAggregateFunction(min, String))' };
    const { sql } = fitColumns('SELECT 1', [bytes, bytes], 'json');
    expect(sql).toBe(
      "SELECT n0 AS `x`, n0 AS `x` FROM (SELECT defaultValueOfTypeName('Nullable(String)') AS n0) WHERE false UNION ALL SELECT base64Encode(c0), base64Encode(c1) FROM (\nSELECT 1\n) AS fitted(c0, c1)",
    );
    expect(fitColumns('SELECT 1', [bytes, { ...bytes, type: '' }], 'json').sql).toBe('SELECT 1');
  });

  it('reads what types are made of', () => {
    expect(readEngineType("Enum8('a, \\'(' = 1, ')' = 2)")).toEqual({
      name: 'Enum8',
      parameters: ["'a, \\'(' = 1", "')' = 2"],
    });
    expect(readEngineType('Tuple()')).toEqual({ name: 'Tuple', parameters: [] });
    expect(readElement('`a ``b` Array(Int8)')).toEqual({ name: '`a ``b` ', type: 'Array(Int8)' });
    expect(readElement('Nullable(Int8)')).toEqual({ name: '', type: 'Nullable(Int8)' });
  });
});
