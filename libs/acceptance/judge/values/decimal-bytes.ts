import { FLOAT, INT, NEGATIVE, ODDLY_WRITTEN } from './kinds.js';
import { tell, tellFraction } from './number-text.js';

const [PLUS, MINUS, POINT, ZERO, NINE] = [0x2b, 0x2d, 0x2e, 0x30, 0x39];
const LOWER_E = 0x65;
/** Turns a letter into its lower case. */
const LOWER = 0x20;
/** All integers of so many digits are safe. */
const SAFE_DIGITS = 15;
/** A number with so many digits before the point, or zeros behind it, is certainly in a float's range. */
const SIZE_MAX = 300;
const EXPONENT_DIGITS_MAX = 4;

/**
 * Judges a number with a point or an exponent by its bytes. To make a text and a number of it takes
 * ten times as long, which was nearly all of the time for vectors of `0.0` and `1.0`. Numbers at
 * the edges of what the types hold are left to `tellFraction`.
 * @returns kind and marks, as `tellFraction` does
 */
export function tellDecimal(bytes: Buffer, from: number, to: number): number {
  const isNegative = bytes[from] === MINUS;
  // Digits up to the last one that is not zero, the zeros behind it, and all digits behind the point.
  let digits = 0;
  let zeros = 0;
  let behind = 0;
  let isBehind = 0;
  let at = isNegative ? from + 1 : from;
  for (; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === POINT) {
      isBehind = 1;
      continue;
    }
    if ((byte | LOWER) === LOWER_E) break;
    behind += isBehind;
    if (byte !== ZERO) {
      digits += zeros + 1;
      zeros = 0;
    } else if (digits > 0) zeros += 1;
  }
  if (digits === 0) return isNegative ? tell(FLOAT, 0) : tell(INT, ODDLY_WRITTEN);
  const power = exponentAt(bytes, at, to) - behind + zeros;
  const size = digits + power;
  if (power < 0 && size > -SIZE_MAX && size < SIZE_MAX) return tell(FLOAT, 0);
  if (power >= 0 && size <= SAFE_DIGITS)
    return tell(INT, isNegative ? ODDLY_WRITTEN | NEGATIVE : ODDLY_WRITTEN);
  return tellFraction(bytes.toString('latin1', from, to));
}

/** Reads an exponent from its letter on. One that is long is infinite here. */
function exponentAt(bytes: Buffer, from: number, to: number): number {
  if (from === to) return 0;
  const sign = bytes[from + 1];
  const first = sign === PLUS || sign === MINUS ? from + 2 : from + 1;
  if (to - first > EXPONENT_DIGITS_MAX) return Infinity;
  let exponent = 0;
  for (let at = first; at < to; at += 1) exponent = exponent * 10 + (bytes[at] ?? 0) - ZERO;
  return sign === MINUS ? -exponent : exponent;
}

/** Tells where the digits end that begin there. */
export function endOfDigits(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  for (let byte = bytes[at] ?? 0; at < to && byte >= ZERO && byte <= NINE; byte = bytes[at] ?? 0)
    at += 1;
  return at;
}

/** Tells where a number ends without a point behind which only zeros stand, as in `12.0`. */
export function withoutZeros(bytes: Buffer, from: number, to: number): number {
  let end = to;
  while (end > from && bytes[end - 1] === ZERO) end -= 1;
  return end > from && bytes[end - 1] === POINT ? end - 1 : to;
}
