import type { SchemaElement } from 'hyparquet';
import { byteColumns } from './byte-columns.js';

const of = (name: string, more: Partial<SchemaElement> = {}): SchemaElement => ({
  name,
  repetition_type: 'OPTIONAL',
  ...more,
});
const bytes = (name: string, more: Partial<SchemaElement> = {}): SchemaElement =>
  of(name, { type: 'BYTE_ARRAY', ...more });

describe('bytes in the schema of a Parquet file', () => {
  it('are what has no annotation, or one of bytes', () => {
    const schema = [
      of('root', { num_children: 8 }),
      bytes('any'),
      of('four', { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 4 }),
      bytes('shape', { logical_type: { type: 'GEOMETRY' } }),
      bytes('old', { converted_type: 'UTF8' }),
      bytes('text', { logical_type: { type: 'STRING' } }),
      bytes('json', { converted_type: 'JSON' }),
      of('price', { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 4, converted_type: 'DECIMAL' }),
      of('n', { type: 'INT32' }),
    ];
    expect([...byteColumns(schema)]).toEqual([
      ['any', ['any']],
      ['four', ['fixed']],
      ['shape', ['any']],
    ]);
  });

  it('are found within lists and structs, in their order', () => {
    const schema = [
      of('root', { num_children: 3 }),
      of('a.b', { num_children: 2 }),
      of('list', { num_children: 1 }),
      bytes('element'),
      of('n', { type: 'INT32' }),
      of('map', { num_children: 1 }),
      of('key_value', { num_children: 2 }),
      bytes('key', { converted_type: 'UTF8' }),
      of('value', { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2 }),
      of('plain', { num_children: 1 }),
      of('n', { type: 'INT32' }),
    ];
    expect([...byteColumns(schema)]).toEqual([
      ['a.b', ['any', 'none']],
      ['map', ['none', 'fixed']],
    ]);
  });
});
