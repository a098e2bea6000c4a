import { quoteText } from '@app/warehouse';
import { computed, constantOf, digitsOf, textOf, type Constant } from './constants.js';
import { DECIMAL_DIGITS_MAX, FLOAT, fraction, literal, type Known } from '../casts/known-type.js';
import type { Nodes } from '../source-tree.js';

/** Different decimals with more digits than this may become the same float. */
const FLOAT_DIGITS_MAX = 17;
const UINT64_MAX = 2n ** 64n - 1n;
const INT64_MIN = -(2n ** 63n);

/**
 * `0.06 + 0.01` is 0.07, as decimals are computed, and not 0.06999999999999999, as floats are. An
 * integer beyond 64 bits with a sign is written out, because the engine would wrap it.
 */
export function exactResult(operator: string, left: Nodes, right: Nodes): string | undefined {
  const a = constantOf(left);
  const b = a && constantOf(right);
  return exactConstant(b && computed(operator, a, b));
}

/** Gives the exact value of a negation, such as `-(-9223372036854775808)`. */
export const exactNegation = (nodes: Nodes): string | undefined => {
  const constant = constantOf(nodes);
  return constant?.scale === 0 ? exactConstant(constant) : undefined;
};

const exactConstant = (constant: Constant | undefined): string | undefined =>
  constant === undefined || (constant.scale === 0 && isInt64(constant.value))
    ? undefined
    : exactNumber(textOf(constant));

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

const digitsIn = (text: string): string =>
  text.replace(/^-/, '').replace(/^0+|\.0+(?=[1-9])|\./g, '');

/** Tells whether the engine would read it as a float with fewer digits. */
function isLong(text: string): boolean {
  if (digitsIn(text).length > DECIMAL_DIGITS_MAX) return false;
  if (text.includes('.')) return digitsIn(text).length > FLOAT_DIGITS_MAX;
  return BigInt(text) > UINT64_MAX || BigInt(text) < INT64_MIN;
}

/**
 * A number that keeps its digits.
 * @param isNegative true where a sign stands before it
 */
export function exactNumber(text: string, isNegative = false): string {
  const [, whole = '', behind = ''] = /^-?(\d*)(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = Math.max((whole + behind).replace(/^0+/, '').length, behind.length);
  if (whole + behind === '' || digits > DECIMAL_DIGITS_MAX) return text;
  if (!isLong(isNegative ? `-${text}` : text)) return text;
  return `CAST(${quoteText(text)}, 'Decimal(${digits}, ${behind.length})')`;
}

/** The type of a number, or of an expression of numbers alone. */
export function typeOfConstant(nodes: Nodes): Known | undefined {
  const constant = constantOf(nodes);
  if (!constant) return undefined;
  const digits = digitsOf(constant);
  return constant.scale === 0 ? literal(digits) : fraction(digits, constant.scale);
}

export function typeOfNumber(text: string): Known {
  if (/^\d+$/.test(text)) return literal(text.replace(/^0+/, '').length || 1);
  const [, whole = '', behind = ''] = /^(\d*)\.(\d+)$/.exec(text) ?? [];
  return behind === '' ? FLOAT : fraction(whole.length + behind.length, behind.length);
}
