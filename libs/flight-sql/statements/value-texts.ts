import { unfit } from '../unfit.js';

const WORD_BITS = 32n;

/** @param words of the number, in two's complement, the lowest first */
export function decimalText(words: Uint32Array, scale: number): string {
  const bits = words.reduceRight((sum, word) => (sum << WORD_BITS) | BigInt(word), 0n);
  const value = BigInt.asIntN(words.length * Number(WORD_BITS), bits);
  return withPoint(value, scale);
}

function withPoint(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : '';
  const text = String(value < 0n ? -value : value).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return sign + whole + (digits === 0 ? '' : `.${text.slice(-digits)}`);
}

export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return Number.isFinite(value) ? String(value) : value > 0 ? 'inf' : '-inf';
}

/** @param bits of a number of 16 bits: a sign, 5 of its exponent, 10 of its fraction */
export function halfFloat(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** @param millis since 1970 */
export const dayText = (millis: number): string => dateText(millis).slice(0, 10);

/** @param value since 1970 @param digits of a second that it has */
export function momentText(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const fraction = ((value % unit) + unit) % unit;
  const whole = dateText(Number((value - fraction) / unit) * 1000).replace('T', ' ');
  return whole + fractionText(fraction, digits);
}

/** @param value since midnight @param digits of a second that it has */
export function clockText(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const whole = dateText(Number(value / unit) * 1000).slice(11);
  return whole + fractionText(value % unit, digits);
}

const fractionText = (fraction: bigint, digits: number): string =>
  digits === 0 ? '' : `.${String(fraction).padStart(digits, '0')}`;

/** Years have four digits. */
function dateText(millis: number): string {
  const date = new Date(millis);
  const year = Number.isNaN(date.valueOf()) ? -1 : date.getUTCFullYear();
  if (year < 0 || year > 9999) throw unfit('a time is not within the years 0 to 9999');
  return date.toISOString().slice(0, 19);
}
