import { fieldsWithin, type Field } from './field.js';

/**
 * The columns that are bytes, or have bytes within them: whether each single value in them is bytes,
 * in their order.
 */
export function byteFields(fields: readonly Field[]): ReadonlyMap<string, readonly boolean[]> {
  const all = fields.map((field) => [field.name, leaves(field)] as const);
  return new Map(all.filter(([, areBytes]) => areBytes.includes(true)));
}

function leaves({ type }: Field): readonly boolean[] {
  const within = fieldsWithin(type);
  if (within.length > 0) return within.flatMap(leaves);
  return [type.kind === 'binary' || type.kind === 'fixed'];
}
