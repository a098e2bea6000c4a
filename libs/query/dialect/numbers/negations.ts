import { INT64_DIGITS, type Known } from '../casts/known-type.js';
import type { Nodes } from '../source-tree.js';
import { exactNegation } from './exact-literals.js';
import { within64Bits } from './exact-sums.js';

/**
 * `-x`. Of the least integer of its bits the engine would have that integer again, and of a large
 * one without a sign another one.
 * @param nodes with the sign
 * @param written the value as the engine has it
 */
export function negation(nodes: Nodes, { kind, precision }: Known, written: string): string {
  if (kind === 'literal') return exactNegation(nodes) ?? `-${written}`;
  if (kind !== 'signed' && kind !== 'unsigned') return `-${written}`;
  return precision < INT64_DIGITS
    ? `-toInt64(${written})`
    : within64Bits(`-toInt128(${written})`, 'signed');
}
