import type { SchemaElement } from 'hyparquet';
import { misreadDecimals } from './misread-decimals.js';

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

describe('decimals that the engine would misread', () => {
  it.each<[digits: number, physical: Partial<SchemaElement>]>([
    [9, { type: 'INT64' }],
    [9, fixed(5)],
    [16, fixed(12)],
    [20, fixed(20)],
    [50, fixed(33)],
    [77, fixed(32)],
  ])('%d digits in %j are such', (digits, physical) => {
    expect(misreadDecimals([root(1), decimal('a', digits, physical)])).toEqual(['a']);
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
    expect(misreadDecimals([root(1), decimal('a', digits, physical)])).toEqual([]);
  });

  it('are told by their column, however deep they are', () => {
    const bad = decimal('x', 9, { type: 'INT64' });
    const good = decimal('x', 9, { type: 'INT32' });
    const group = (name: string, children: number): SchemaElement => ({ name, num_children: children }); // prettier-ignore
    const all = [root(4), good, group('g', 2), group('h', 1), good, group('i', 1), bad, group('j', 1), good, bad]; // prettier-ignore
    expect(misreadDecimals(all)).toEqual(['g', 'x']);
  });
});
