import type { SchemaElement } from 'hyparquet';
import { schemaLeaves } from './schema-leaves.js';

/** Annotations of bytes that are no other type. */
const OF_BYTES: ReadonlySet<string> = new Set(['BSON', 'GEOMETRY', 'GEOGRAPHY']);

/**
 * The columns that are bytes, or have bytes within them: whether each single value in them is bytes,
 * in their order.
 */
export function byteColumns(
  schema: readonly SchemaElement[],
): ReadonlyMap<string, readonly boolean[]> {
  const all = new Map<string, boolean[]>();
  for (const { column, element } of schemaLeaves(schema)) {
    const leaves = all.get(column);
    if (leaves) leaves.push(areBytes(element));
    else all.set(column, [areBytes(element)]);
  }
  return new Map([...all].filter(([, leaves]) => leaves.includes(true)));
}

function areBytes({
  type,
  logical_type: logical,
  converted_type: converted,
}: SchemaElement): boolean {
  if (type !== 'BYTE_ARRAY' && type !== 'FIXED_LEN_BYTE_ARRAY') return false;
  const annotation = logical?.type ?? converted;
  return annotation === undefined || OF_BYTES.has(annotation);
}
