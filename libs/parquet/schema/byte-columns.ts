import type { SchemaElement } from 'hyparquet';
import { schemaLeaves } from './schema-leaves.js';

/** Annotations of bytes that are no other type. */
const OF_BYTES: ReadonlySet<string> = new Set(['BSON', 'GEOMETRY', 'GEOGRAPHY']);

/** The kind of a single value within a column: no bytes, bytes of any number, or of one that all have. */
export type ByteLeaf = 'none' | 'any' | 'fixed';

/** The columns that are bytes, or have bytes within them, with all their single values in order. */
export function byteColumns(
  schema: readonly SchemaElement[],
): ReadonlyMap<string, readonly ByteLeaf[]> {
  const all = new Map<string, ByteLeaf[]>();
  for (const { column, element } of schemaLeaves(schema)) {
    const leaves = all.get(column);
    if (leaves) leaves.push(byteLeaf(element));
    else all.set(column, [byteLeaf(element)]);
  }
  return new Map([...all].filter(([, leaves]) => leaves.some((leaf) => leaf !== 'none')));
}

function byteLeaf(element: SchemaElement): ByteLeaf {
  const { type, logical_type: logical, converted_type: converted } = element;
  const annotation = logical?.type ?? converted;
  if (annotation !== undefined && !OF_BYTES.has(annotation)) return 'none';
  if (type === 'FIXED_LEN_BYTE_ARRAY') return 'fixed';
  return type === 'BYTE_ARRAY' ? 'any' : 'none';
}
