import type { Known } from '../casts/known-type.js';
import type { Nodes } from '../source-tree.js';
import { constantOf } from './constants.js';

const ROUNDING = /^(?:round|roundbankers|ceil|ceiling|floor|trunc|truncate)$/i;
const TARGETS: Partial<Record<Known['kind'], string>> = {
  signed: 'Int64',
  unsigned: 'UInt64',
  count: 'UInt64',
};

/**
 * `round(n, -1)` of integers. The engine rounds in the width of the column and wraps: 127 of 8 bits
 * became -126. What leaves 64 bits is an error.
 * @param places the second argument
 * @param args both in the engine's SQL
 */
export function roundedInteger(
  name: string,
  type: Known,
  places: Nodes,
  [value, written]: readonly string[],
): string | undefined {
  const target = TARGETS[type.kind];
  const count = constantOf(places);
  if (!ROUNDING.test(name) || target === undefined || !count || count.value >= 0n) return undefined;
  return `accurateCast(${name}(toInt128(${value}), ${written}), 'Nullable(${target})')`;
}
