import { BEYOND_FLOAT, FLOAT, INT, LONG_INTEGER, NEGATIVE, ODDLY_WRITTEN, UINT } from './kinds.js';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;
const EXACT_FLOAT = 2n ** 53n;
/** An integer of 64 bits has at most so many digits. */
const DIGITS_MAX = 20;

/** The answer for a number that 64 bits do not hold. Other answers are `kind | marks << 8`. */
export const BEYOND_64_BITS = -1;
export const kindIn = (told: number): number => told & 0xff;
export const marksIn = (told: number): number => told >> 8;
export const tell = (kind: number, marks: number): number => kind | (marks << 8);

/** The largest of each kind, without a sign, as texts of the same length compare. */
const [EXACT_FLOAT_DIGITS, INT_DIGITS, INT_MIN_DIGITS, UINT_DIGITS] = [
  '9007199254740992',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551615',
];

/** An integer as it is written, of any number of digits. */
export function tellInteger(text: string): number {
  // The number is zero, and not negative.
  if (text === '-0') return tell(INT, ODDLY_WRITTEN);
  const isNegative = text.startsWith('-');
  const digits = isNegative ? text.slice(1) : text;
  const marks = isNegative ? NEGATIVE : 0;
  if (!isAbove(digits, EXACT_FLOAT_DIGITS)) return tell(INT, marks);
  const long = marks | BEYOND_FLOAT | LONG_INTEGER;
  if (!isAbove(digits, isNegative ? INT_MIN_DIGITS : INT_DIGITS)) return tell(INT, long);
  return isNegative || isAbove(digits, UINT_DIGITS) ? BEYOND_64_BITS : tell(UINT, long);
}

const isAbove = (digits: string, most: string): boolean =>
  digits.length === most.length ? digits > most : digits.length > most.length;

/** Judges a number with a fraction or an exponent. It may be an integer nevertheless. */
export function tellFraction(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) return BEYOND_64_BITS;
  // The number is so small that its nearest float is zero.
  if (value === 0 && /[1-9]/.test(text.replace(/[eE].*/, ''))) return BEYOND_64_BITS;
  // No integer is a negative zero.
  if (Object.is(value, -0)) return tell(FLOAT, 0);
  const integer = integerOf(text);
  if (integer === undefined || integer > UINT_MAX || integer < INT_MIN) return tell(FLOAT, 0);
  const beyond = integer > EXACT_FLOAT || integer < -EXACT_FLOAT ? BEYOND_FLOAT : 0;
  const negative = integer < 0 ? NEGATIVE : 0;
  return tell(integer > INT_MAX ? UINT : INT, beyond | negative | ODDLY_WRITTEN);
}

/** Floats tell so many digits apart, so a number that reads as an integer is one. */
const EXACT_LENGTH = 15;

/**
 * The integer that a number of JSON's grammar is exactly; undefined when it has a fraction, or more
 * digits than any of 64 bits. It uses no patterns, which would scan many zeros again and again.
 */
export function integerOf(text: string): number | bigint | undefined {
  const value = Number(text);
  if (text.length <= EXACT_LENGTH && value !== 0 && Number.isSafeInteger(value)) return value;
  const [number = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = number.replace('-', '').split('.');
  const digits = `${whole}${fraction}`;
  let [from, to] = [0, digits.length];
  while (from < to && digits[from] === '0') from += 1;
  while (to > from && digits[to - 1] === '0') to -= 1;
  if (from === to) return 0;
  // Zeros at the end count as an exponent.
  const zeros = Number(exponent) - fraction.length + digits.length - to;
  if (zeros < 0 || to - from + zeros > DIGITS_MAX) return undefined;
  return BigInt(`${text.startsWith('-') ? '-' : ''}${digits.slice(from, to)}${'0'.repeat(zeros)}`);
}

/** A point with nothing but zeros behind it, where no exponent follows. */
const ZEROS_BEHIND = /\.0+(?![\deE])/g;
/** Something that makes a number odd otherwise. */
const ODD = /[.eE]|-0/;
const NUMBERS = /-?\d[\d.eE+-]*/g;

/**
 * JSON text of a number, or of an array of numbers and nulls, with its integers written as integers.
 * Nearly all that are written oddly end with `.0`, and leaving that out takes a tenth of the time.
 */
export function writtenPlainly(text: string): string {
  const short = text.replace(ZEROS_BEHIND, '');
  return ODD.test(short)
    ? short.replace(NUMBERS, (number) => String(integerOf(number) ?? number))
    : short;
}
