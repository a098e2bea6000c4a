import { readAggregate, readStructure, readType } from './read-type.js';

describe('a type as text', () => {
  it.each([
    'String',
    'Array(Nullable(Int64))',
    'Tuple(a Int8, `b c` Map(String, Array(DOUBLE PRECISION)))',
    'Tuple(Int8, String)',
    "Enum8('a' = 1, 'b' = -2)",
    'Decimal(10, 2)',
    'INT UNSIGNED',
    'VARCHAR(20)',
    "JSON(max_dynamic_paths=8, a.b UInt32, SKIP c.d, SKIP REGEXP 'x.*')",
    'Dynamic(max_types=3)',
    'Variant(Int8, String)',
    'Nested(a Int8, b String)',
    'FixedString(16)',
    'IntervalDay',
  ])('is %s', (text) => {
    expect(readType(text)).toEqual({ zones: [] });
  });

  it('tells the time zones that it names', () => {
    expect(readType("Tuple(DateTime('Europe/Paris'), DateTime64(3, 'file:/x'))")).toEqual({
      zones: ['Europe/Paris', 'file:/x'],
    });
  });

  it.each([
    '',
    'AggregateFunction(sum, Int64)',
    'AggregateFunction/**/(sum, Int64)',
    'SimpleAggregateFunction(sum, Int64)',
    "Array(AggregateFunction(quantile(file('/x')), Int64))",
    "String ALIAS file('/x')",
    'Tuple(a String DEFAULT 1)',
    'Nested(a String ALIAS 1)',
    "DateTime64(length(file('/x')))",
    "Enum8('a' = length('x'))",
    "Enum8('a''b' = 1)",
    "Enum8('a\\'b' = 1)",
    'Array(Int8)/**/',
    'Array(Int8) -- x',
    'Array\u00a0(Int8)',
    '`String`',
    '"String"',
    'Array(Int8))',
    'Array(Int8',
    'Array()',
    'Array',
    'int_unsigned',
    `${'Array('.repeat(60)}Int8${')'.repeat(60)}`,
    "Object('json')",
    'JSON(max_dynamic_paths=length(1))',
  ])('is not %s', (text) => {
    expect(readType(text)).toBeUndefined();
  });
});

describe('the structure of a table as text', () => {
  it.each(['a UInt8', 'a UInt8, `b` Array(String)', 'number Int8, b DateTime64(3)'])(
    'is %s',
    (text) => {
      expect(readStructure(text)).toBeDefined();
    },
  );

  it.each([
    'a',
    'a UInt8 ALIAS 1',
    "a UInt8, b String ALIAS file('/x')",
    'a UInt8, b String DEFAULT 1',
    'a UInt8, b DEFAULT 1',
    'a UInt8, b String EPHEMERAL 1',
    'a UInt8, b String MATERIALIZED 1',
    'a UInt8, b String CODEC(NONE)',
    'a UInt8, b String TTL now()',
    "a UInt8, b String COMMENT 'x'",
    'a UInt8, CONSTRAINT c CHECK 1',
    'a UInt8, INDEX i a TYPE minmax',
    'a UInt8, PROJECTION p (SELECT 1)',
    'a UInt8,',
    'a UInt8; b String',
    'a.b UInt8',
  ])('is not %s', (text) => {
    expect(readStructure(text)).toBeUndefined();
  });
});

describe('an aggregate function as text', () => {
  it.each(['sum', 'quantile(0.5)', "groupConcat(', ')", 'topK(3)', 'uniqState', 'sumIf', 'any()'])(
    'is %s',
    (text) => {
      expect(readAggregate(text)).toBeDefined();
    },
  );

  it.each([
    'file',
    "quantile(length(file('/x')))",
    'quantile((SELECT 0.5))',
    'quantile(0.5 + 0.1)',
    'quantile(x)',
    'quantile([0.5])',
    'quantile(0.5)(1)',
    'groupConcat(currentDatabase())',
    '`groupConcat`(1)',
  ])('is not %s', (text) => {
    expect(readAggregate(text)).toBeUndefined();
  });
});
