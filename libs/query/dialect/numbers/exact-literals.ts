import { quoteText } from '@app/warehouse';
import { computed, constantOf, digitsOf, textOf } from './constants.js';
import { DECIMAL_DIGITS_MAX, FLOAT, fraction, literal, type Known } from '../casts/known-type.js';
import type { Nodes } from '../source-tree.js';

/** Different decimals with more digits than this may become the same float. */
const FLOAT_DIGITS_MAX = 17;
const UINT64_MAX = 2n ** 64n - 1n;

/** `0.06 + 0.01` is 0.07, as decimals are computed, and not 0.06999999999999999, as floats are. */
export function exactResult(operator: string, left: Nodes, right: Nodes): string | undefined {
  const a = constantOf(left);
  const b = a && constantOf(right);
  const result = b && computed(operator, a, b);
  return !result || result.scale === 0 ? undefined : exactNumber(textOf(result));
}

const digitsIn = (text: string): string =>
  text.replace(/^-/, '').replace(/^0+|\.0+(?=[1-9])|\./g, '');

/** Tells whether the engine would read it as a float with fewer digits. */
function isLong(text: string): boolean {
  if (digitsIn(text).length > DECIMAL_DIGITS_MAX) return false;
  return text.includes('.')
    ? digitsIn(text).length > FLOAT_DIGITS_MAX
    : /^\d{20,}$/.test(text) && BigInt(text) > UINT64_MAX;
}

/** A number that keeps its digits. */
export function exactNumber(text: string): string {
  const [, whole = '', behind = ''] = /^-?(\d*)(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = Math.max((whole + behind).replace(/^0+/, '').length, behind.length);
  if (whole + behind === '' || digits > DECIMAL_DIGITS_MAX || !isLong(text)) return text;
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
