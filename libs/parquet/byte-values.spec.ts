import type { SchemaElement } from 'hyparquet';
import { areWide, decimalBytes, decimalColumns, refuseTooWide } from './byte-values.js';

const root = (children: number): SchemaElement => ({ name: 'schema', num_children: children });
const decimal = (
  name: string,
  precision: number,
  physical: Partial<SchemaElement>,
): SchemaElement => ({ name, precision, scale: 2, converted_type: 'DECIMAL', ...physical });
const fixed = (bytes: number): Partial<SchemaElement> => ({
  type: 'FIXED_LEN_BYTE_ARRAY',
  type_length: bytes,
});
const isWide = (digits: number, physical: Partial<SchemaElement>): boolean => {
  const found = decimalBytes(decimal('a', digits, physical));
  return found !== undefined && areWide(found);
};

describe('decimals that the engine would misread', () => {
  it.each<[digits: number, physical: Partial<SchemaElement>]>([
    [9, { type: 'INT64' }],
    [9, fixed(5)],
    [16, fixed(12)],
    [20, fixed(20)],
    [50, fixed(33)],
    [77, fixed(32)],
  ])('%d digits in %j are such', (digits, physical) => {
    expect(isWide(digits, physical)).toBe(true);
  });

  it.each<[digits: number, physical: Partial<SchemaElement>]>([
    [9, { type: 'INT32' }],
    [10, { type: 'INT64' }],
    [9, fixed(4)],
    [10, fixed(8)],
    [38, fixed(16)],
    [50, fixed(21)],
    [30, { type: 'BYTE_ARRAY' }],
  ])('%d digits in %j are none', (digits, physical) => {
    expect(isWide(digits, physical)).toBe(false);
  });

  it('are found by the paths of their columns, however deep they are', () => {
    const bytes = { bytes: 8, isLowFirst: true, precision: 9, scale: 2 };
    const long = (name: string): SchemaElement => decimal(name, 9, { type: 'INT64' });
    const group = (name: string, children: number): SchemaElement => ({ name, num_children: children }); // prettier-ignore
    const other: SchemaElement = { name: 'o', type: 'INT64' };
    const all = [root(4), other, group('g', 2), group('h', 1), other, group('i', 1), long('x'), group('j', 1), other, long('y')]; // prettier-ignore
    expect(decimalColumns(all)).toEqual(
      new Map([
        ['g.i.x', bytes],
        ['y', bytes],
      ]),
    );
  });

  it('are refused where no type holds their bytes', () => {
    const of = (bytes: number) => ({ bytes, isLowFirst: false, precision: 76, scale: 0 });
    refuseTooWide('a', of(32), 'it');
    expect(() => refuseTooWide('a', of(33), 'it')).toThrow('column "a" has decimals of 33 bytes');
  });
});
