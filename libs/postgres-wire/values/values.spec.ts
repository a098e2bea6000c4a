import { bytesOf, elementsOf } from './json-row.js';
import { numericBinary, numericText } from './numeric-binary.js';
import { parameterValue } from './parameter-value.js';
import { postgresType } from './postgres-type.js';
import { valueText } from './value-text.js';

const text = (json: string, type: string): string =>
  valueText(Buffer.from(json), postgresType(type)).toString('utf8');

describe('values of the engine', () => {
  it('are taken out of a row as they stand there', () => {
    const row = '[18446744073709551615, "a,\\"]\\\\", {"k": [1, {"l": "}"}]}, null, [], 1.50]';
    expect(elementsOf(Buffer.from(row)).map(String)).toEqual([
      ...['18446744073709551615', '"a,\\"]\\\\"', '{"k": [1, {"l": "}"}]}', 'null', '[]', '1.50'],
    ]);
    expect(elementsOf(Buffer.from('[]'))).toEqual([]);
    expect(bytesOf(Buffer.from('"\\u2028\\n\xff"', 'latin1')).toString('hex')).toBe('e280a80aff');
  });

  it.each([
    ['true', 'Bool', 't'],
    ['"nan"', 'Nullable(Float64)', 'NaN'],
    ['"-inf"', 'Float32', '-Infinity'],
    ['"2026-01-02T03:04:05.500000Z"', 'DateTime64(6)', '2026-01-02 03:04:05.5'],
    ['"2026-01-02T03:04:05Z"', "DateTime('UTC')", '2026-01-02 03:04:05+00'],
    ['"2026-01-02T03:04:05.123456789Z"', "DateTime64(9, 'UTC')", '2026-01-02 03:04:05.123456+00'],
    ['["a", null, "", "b \\"c", "null"]', 'Array(Nullable(String))', '{a,NULL,"","b \\"c","null"}'],
    ['[[1], [2, 3]]', 'Array(Array(Int8))', '[[1], [2, 3]]'],
    ['{"a": 9007199254740993}', 'Tuple(a Int64)', '{"a": 9007199254740993}'],
    ['"abc"', 'FixedString(3)', '\\x616263'],
    ['12.30', 'Decimal(10, 2)', '12.30'],
  ])('%s of %s is %s', (json, type, expected) => {
    expect(text(json, type)).toBe(expected);
  });

  it('that are no UTF-8 do not reach a client as such', () => {
    expect(text('"\xe9"', 'String')).toBe('é');
    expect(valueText(Buffer.from('"\xff"', 'latin1'), postgresType('String')).toString()).toBe('\ufffd'); // prettier-ignore
  });
});

describe('a number of many digits', () => {
  it.each([
    '0',
    '1',
    '-1',
    '0.00',
    '10000',
    '9999.9999',
    '-0.00012345',
    '123456789012345.67800',
    '1.5',
  ])('%s is the same after it was sent', (number) => {
    expect(numericText(numericBinary(number))).toBe(number);
  });

  it.each(['', '00', '000100000000000027', '00010000000000002710', '7fff7fff00000000'])(
    '%s is none',
    (hex) => {
      expect(numericText(Buffer.from(hex, 'hex'))).toBeUndefined();
    },
  );
});

describe('a value of a parameter', () => {
  it.each([
    [23, '41', 'Int32', '41'],
    [16, 'on', 'Bool', 'true'],
    [1700, '-1.50', 'Decimal(76, 2)', '-1.50'],
    [1082, '2026-01-02', 'Date32', '2026-01-02'],
    [1184, '2026-01-02 03:04:05.5+02', "DateTime64(6, 'UTC')", '2026-01-02 01:04:05.5'],
    [1114, '2026-01-02 03:04:05+02', 'DateTime64(6)', '2026-01-02 03:04:05'],
    [1184, '2026-01-03 +01', "DateTime64(6, 'UTC')", '2026-01-02 23:00:00'],
    [1114, '2026-01-03 +01', 'DateTime64(6)', '2026-01-03 00:00:00'],
    [1007, '{1,NULL,3}', 'Array(Nullable(Int32))', '[1,NULL,3]'],
    [1009, '{a,"b,\\"c\\\\",""}', 'Array(Nullable(String))', `['a','b,"c\\\\','']`],
    [1009, '{}', 'Array(Nullable(String))', '[]'],
  ])('of type %s, %s, is %s %s', (oid, given, type, expected) => {
    expect(parameterValue(oid, 'text', Buffer.from(given))).toEqual({ type, text: expected });
  });

  it.each([
    ['1 day 02:00:00', 'Microsecond', 93_600_000_000],
    ['-00:00:01.5', 'Microsecond', -1_500_000],
    ['2 days 0 seconds 0 microseconds', 'Day', 2],
    ['0.25 hours', 'Microsecond', 900_000_000],
    ['1 year 2 mons', 'Month', 14],
    ['P1M', 'Month', 1],
    ['P1DT2H3M4.5S', 'Microsecond', 93_784_500_000],
    ['PT0S', 'Day', 0],
  ])('is an interval %s, in %ss %s', (given, unit, number) => {
    const value = parameterValue(1186, 'text', Buffer.from(given));
    expect(value).toEqual({ type: 'Int64', text: String(number), unit });
  });

  it('is an interval in bytes: microseconds, days, months', () => {
    const value = (hex: string) => parameterValue(1186, 'binary', Buffer.from(hex, 'hex'));
    expect(value('00000000000f42400000000100000000')).toMatchObject({ unit: 'Microsecond', text: '86401000000' }); // prettier-ignore
    expect(value('0000000000000000ffffffff00000000')).toMatchObject({ unit: 'Day', text: '-1' });
    expect(() => value('00000000000000000000000100000001')).toThrow(/INTERVAL '1 month'/);
    expect(() => value('00')).toThrow(/incorrect binary/);
  });

  it.each([
    '',
    'soon',
    '1',
    '1 day x',
    'P',
    '1.5 months',
    '1 parsec',
    '178956971 years',
    '9e9 days',
    '300000 years 1 day',
    '9223372036854775807 s',
  ])('is no interval %j', (given) => {
    expect(() => parameterValue(1186, 'text', Buffer.from(given))).toThrow(/interval/);
  });

  it('of an unknown type is not taken for a text where it is in bytes', () => {
    expect(() => parameterValue(600, 'binary', Buffer.from('ff', 'hex'))).toThrow(/OID 600.*as text/); // prettier-ignore
    expect(parameterValue(1043, 'binary', Buffer.from('a'))).toEqual({ type: 'String', text: 'a' });
  });

  it.each([
    [23, '2147483648'],
    [23, '1.5'],
    [16, 'maybe'],
    [1700, '1e'],
    [2950, 'x'],
    [1082, 'today'],
    [1184, '2026-13-01 00:00:00'],
    [1007, '{1,{2}}'],
    [1007, '1,2'],
  ])('of type %s, %s, is refused', (oid, given) => {
    expect(() => parameterValue(oid, 'text', Buffer.from(given))).toThrow();
  });

  it.each([
    [23, '0000'],
    [20, '00'],
    [1184, '7fffffffffffffff'],
    [1700, '0001'],
    [1007, '00000001000000000000001700000002'],
    [1007, '000000010000000000000017000000020000000100000004'],
  ])('of type %s, bytes %s, are refused', (oid, hex) => {
    expect(() => parameterValue(oid, 'binary', Buffer.from(hex, 'hex'))).toThrow();
  });
});
