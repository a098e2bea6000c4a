import { BEYOND_FLOAT, FLOAT, INT, LONG_INTEGER, NEGATIVE, ODDLY_WRITTEN, UINT } from './kinds.js';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;
const EXACT_FLOAT = 2n ** 53n;
/** Of an integer of 64 bits. */
const DIGITS_MAX = 20;

/** A number's kind and what is told beside it, together: `kind | marks << 8`; or, what 64 bits do not hold. */
export const BEYOND_64_BITS = -1;
export const kindIn = (told: number): number => told & 0xff;
export const marksIn = (told: number): number => told >> 8;
const tell = (kind: number, marks: number): number => kind | (marks << 8);

/** The largest of each kind, without a sign, as texts of the same length compare. */
const [EXACT_FLOAT_DIGITS, INT_DIGITS, INT_MIN_DIGITS, UINT_DIGITS] = [
  '9007199254740992',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551615',
];

/** An integer as it is written, of any number of digits. */
export function tellInteger(text: string): number {
  if (text === '-0') return tell(INT, NEGATIVE | ODDLY_WRITTEN);
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

/** A number with a fraction or an exponent: it may be an integer all the same. */
export function tellFraction(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) return BEYOND_64_BITS;
  // So small that a float has nothing of it.
  if (value === 0 && /[1-9]/.test(text.replace(/[eE].*/, ''))) return BEYOND_64_BITS;
  const integer = integerOf(text);
  if (integer === undefined) return tell(FLOAT, 0);
  const told = tellValue(integer, text.startsWith('-'));
  return told === BEYOND_64_BITS
    ? tell(FLOAT, 0)
    : tell(kindIn(told), marksIn(told) | ODDLY_WRITTEN);
}

function tellValue(value: bigint, isNegative: boolean): number {
  if (value > UINT_MAX || value < INT_MIN) return BEYOND_64_BITS;
  const beyond = value > EXACT_FLOAT || value < -EXACT_FLOAT ? BEYOND_FLOAT : 0;
  return tell(value > INT_MAX ? UINT : INT, beyond | (isNegative ? NEGATIVE : 0));
}

/** The integer that a number of JSON's grammar is exactly; undefined when it is none of 64 bits. */
export function integerOf(text: string): bigint | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d*?)0*)?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!parts) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return 0n;
  const zeros = Number(exponent) - fraction.length;
  const shortest = digits.replace(/0+$/, '');
  // Zeros at the end stand for as much of an exponent.
  const shift = zeros + digits.length - shortest.length;
  if (shift < 0 || shortest.length + shift > DIGITS_MAX) return undefined;
  return BigInt(`${sign}${shortest}${'0'.repeat(shift)}`);
}

const NUMBERS = /-?\d[\d.eE+-]*/g;

/** JSON text of a number, or of an array of numbers and nulls, with its integers written as integers. */
export const writtenPlainly = (text: string): string =>
  text.replace(NUMBERS, (number) => String(integerOf(number) ?? number));
