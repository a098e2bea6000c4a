import { writtenPlainly } from '../values/number-text.js';
import type { Patch } from './line-writer.js';

const [POINT, ZERO] = [0x2e, 0x30];

/**
 * Makes an integer that is written oddly, or an array of such, one that the engine reads as
 * integers. Of `12.0`, as programs write that keep all numbers as floats, only the end goes.
 */
export function plainInteger(bytes: Buffer, from: number, to: number): Patch {
  let end = to;
  while (bytes[end - 1] === ZERO) end -= 1;
  if (bytes[end - 1] === POINT) return { from: end - 1, to, text: '' };
  return { from, to, text: writtenPlainly(bytes.toString('latin1', from, to)) };
}
