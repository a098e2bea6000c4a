import { withoutZeros } from '../values/decimal-bytes.js';
import { writtenPlainly } from '../values/number-text.js';
import type { Patch } from './line-writer.js';

/**
 * Makes an integer that is written oddly, or an array of such, one that the engine reads as
 * integers. Of `12.0`, as programs write that keep all numbers as floats, only the end goes.
 */
export function plainInteger(bytes: Buffer, from: number, to: number): Patch {
  const end = withoutZeros(bytes, from, to);
  if (end < to) return { from: end, to, text: '' };
  return { from, to, text: writtenPlainly(bytes.toString('latin1', from, to)) };
}
