import type { ByteLeaf } from '@app/parquet';
import { fieldsWithin, type Field } from './field.js';

/** The columns that are bytes, or have bytes within them, with all their single values in order. */
export function byteFields(fields: readonly Field[]): ReadonlyMap<string, readonly ByteLeaf[]> {
  const all = fields.map((field) => [field.name, leavesOf(field)] as const);
  return new Map(all.filter(([, leaves]) => leaves.some((leaf) => leaf !== 'none')));
}

function leavesOf({ type }: Field): readonly ByteLeaf[] {
  const within = fieldsWithin(type);
  if (within.length > 0) return within.flatMap(leavesOf);
  if (type.kind === 'binary') return ['any'];
  return [type.kind === 'fixed' ? 'fixed' : 'none'];
}
