import { endOfDigits, withoutZeros } from './decimal-bytes.js';
import { integerOf } from './number-text.js';
import { fractionDigits, plainDecimal, wholeDigits, type PlainDecimal } from './plain-decimal.js';
import { AS_IT_STANDS, type ValueReader } from './value-reader.js';

const [MINUS, POINT, ZERO, NINE] = [0x2d, 0x2e, 0x30, 0x39];
/** All integers of so many digits are safe. */
const SAFE_DIGITS = 15;
/** Floats that CSV has as words; JSON has none. */
const NO_DIGITS = /^(?:NaN|-?inf)$/;

/** Reads integers of at most 32 bits, between two numbers. */
export const integersWithin =
  (least: number, most: number): ValueReader =>
  (bytes, from, to, isText) => {
    if (isText) return undefined;
    const point = withoutZeros(bytes, from, to);
    const plain = plainInteger(bytes, from, point);
    if (plain !== undefined) {
      if (plain < least || plain > most) return undefined;
      return point === to ? AS_IT_STANDS : String(plain);
    }
    const text = bytes.toString('latin1', from, to);
    const integer = NO_DIGITS.test(text) ? undefined : integerOf(text);
    return integer !== undefined && integer >= least && integer <= most
      ? String(integer)
      : undefined;
  };

/** @returns undefined where it is long, or written with a fraction, an exponent, or as `-0` */
function plainInteger(bytes: Buffer, from: number, to: number): number | undefined {
  const isNegative = bytes[from] === MINUS;
  const first = isNegative ? from + 1 : from;
  if (to - first > SAFE_DIGITS || (isNegative && bytes[first] === ZERO)) return undefined;
  let value = 0;
  for (let at = first; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) return undefined;
    value = value * 10 + byte - ZERO;
  }
  return isNegative ? -value : value;
}

/**
 * Reads decimals that fit with all of their digits: numbers, or texts in JSON's notation of
 * numbers.
 */
export const decimalsOf = (precision: number, scale: number): ValueReader => {
  const fits = (value: PlainDecimal): boolean =>
    wholeDigits(value) <= precision - scale && fractionDigits(value) <= scale;
  return (bytes, from, to) => {
    if (isPlainDecimal(bytes, from, to, precision - scale, scale)) return AS_IT_STANDS;
    const value = plainDecimal(bytes.toString('latin1', from, to));
    return value && fits(value) ? written(value) : undefined;
  };
};

/** True where the number has no exponent, and no more digits, zeros included, than its type. */
function isPlainDecimal(
  bytes: Buffer,
  from: number,
  to: number,
  wholeMax: number,
  scale: number,
): boolean {
  const first = bytes[from] === MINUS ? from + 1 : from;
  const point = endOfDigits(bytes, first, to);
  const isSmall = point === first + 1 && bytes[first] === ZERO;
  const whole = isSmall ? 0 : point - first;
  // Only the number zero may begin with a zero.
  if (point === first || whole > wholeMax || (!isSmall && bytes[first] === ZERO)) return false;
  if (point === to) return true;
  const end = endOfDigits(bytes, point + 1, to);
  return bytes[point] === POINT && end === to && end > point + 1 && end - point - 1 <= scale;
}

/** Writes a decimal without an exponent. One that fits is short. */
function written(value: PlainDecimal): string {
  const { isNegative, digits, exponent } = value;
  if (digits === '') return '0';
  const fraction = fractionDigits(value);
  const whole = exponent >= 0 ? `${digits}${'0'.repeat(exponent)}` : digits.slice(0, exponent);
  const behind = digits.slice(Math.max(0, digits.length - fraction)).padStart(fraction, '0');
  return `${isNegative ? '-' : ''}${whole || '0'}${fraction > 0 ? `.${behind}` : ''}`;
}
