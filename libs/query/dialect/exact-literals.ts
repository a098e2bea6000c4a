import { DECIMAL_DIGITS_MAX, FLOAT, fraction, literal, type Known } from './known-type.js';
import type { Nodes } from './source-tree.js';

const NUMBER = /^\d{1,15}(?:\.\d{1,15})?$/;
const DIGITS = 15;
const UINT64_MAX = 2n ** 64n - 1n;

/** `0.06 + 0.01` is 0.07, as decimals are computed, and not 0.06999999999999999, as floats are. */
export function exactResult(operator: string, left: Nodes, right: Nodes): string | undefined {
  const [a, b] = [left[0]?.text ?? '', right[0]?.text ?? ''];
  if (left.length !== 1 || right.length !== 1 || !/^[-+*]$/.test(operator)) return undefined;
  if (!NUMBER.test(a) || !NUMBER.test(b) || !(a + b).includes('.')) return undefined;
  if (operator === '*') return shown(scaled(a) * scaled(b), 2 * DIGITS);
  return shown(operator === '+' ? scaled(a) + scaled(b) : scaled(a) - scaled(b), DIGITS);
}

function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DIGITS, '0'));
}

function shown(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '').padEnd(1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${fraction}`;
}

/** Whether it is a whole number that the engine would read as a float. */
const isLong = (text: string): boolean =>
  /^\d{20,}$/.test(text) && text.length <= DECIMAL_DIGITS_MAX && BigInt(text) > UINT64_MAX;

/** A number that keeps its digits. */
export const exactNumber = (text: string): string =>
  isLong(text) ? `CAST('${text}', 'Decimal(${text.length}, 0)')` : text;

export function typeOfNumber(text: string): Known {
  if (/^\d+$/.test(text)) return literal(text.replace(/^0+/, '').length || 1);
  const [, whole = '', behind = ''] = /^(\d*)\.(\d+)$/.exec(text) ?? [];
  return behind === '' ? FLOAT : fraction(whole.length + behind.length, behind.length);
}
