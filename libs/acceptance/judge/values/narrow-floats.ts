import { AS_IT_STANDS, type ValueReader } from './value-reader.js';

const [MINUS, POINT, ZERO, NINE] = [0x2d, 0x2e, 0x30, 0x39];
/** Floats of 32 bits have all numbers of six digits, the point not counted, and neither very large nor very small. */
const EVERY_SHORT = /^-?(?:\d{1,6}|(?=[\d.]{3,7}$)\d+\.\d+)$/;
/** Floats that CSV has as words; JSON has none. */
const NO_DIGITS = /^(?:NaN|-?inf)$/;
const EVERY_DIGITS = 6;
/** This many digits tell any float of 32 bits apart from its neighbours. */
const DIGITS_MAX = 9;

/**
 * Reads numbers that do not change in a float of 32 bits. It also reads fractions that are the
 * exact value of such a float, with whatever digits: numpy and DuckDB write all of them.
 */
export const narrowFloats: ValueReader = (bytes, from, to, isText) => {
  if (isText) return undefined;
  const isPlain = plainlyKept(bytes, from, to);
  if (isPlain !== undefined) return isPlain ? AS_IT_STANDS : undefined;
  const text = bytes.toString('latin1', from, to);
  return NO_DIGITS.test(text) || isKept(text) ? AS_IT_STANDS : undefined;
};

function isKept(text: string): boolean {
  if (EVERY_SHORT.test(text)) return true;
  const value = Number(text);
  const float = Math.fround(value);
  if (!Number.isFinite(float)) return false;
  const isExact = float === value && !Number.isInteger(value);
  return isExact || shortest(float) === value;
}

/** The number that the shortest text of a float of 32 bits stands for. */
function shortest(float: number): number {
  for (let digits = 1; digits < DIGITS_MAX; digits += 1) {
    const value = Number(float.toPrecision(digits));
    if (Math.fround(value) === float) return value;
  }
  return Number(float.toPrecision(DIGITS_MAX));
}

/** Powers of ten that floats of 64 bits have exactly, so that dividing by one rounds once. */
const POWERS = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));
/** So near to the middle between two numbers, arithmetic of 64 bits does not tell which is nearer. */
const UNSURE = 0.001;

/**
 * Decides about fractions without an exponent by arithmetic, for which no text is made of the float:
 * that took a microsecond for each number.
 * @returns undefined where that does not decide
 */
function plainlyKept(bytes: Buffer, from: number, to: number): boolean | undefined {
  let number = 0;
  let digits = 0;
  let behind = 0;
  let point = -1;
  for (let at = bytes[from] === MINUS ? from + 1 : from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === POINT && point < 0) {
      point = at;
      continue;
    }
    if (byte < ZERO || byte > NINE) return undefined;
    number = number * 10 + byte - ZERO;
    if (number > 0) digits += 1;
    if (point >= 0) behind += 1;
    if (digits > DIGITS_MAX) return undefined;
  }
  for (; behind > 0 && number > 0 && number % 10 === 0; behind -= 1, digits -= 1) number /= 10;
  const power = POWERS[behind];
  if (behind === 0 || power === undefined) return undefined;
  const value = number / power;
  const float = Math.fround(value);
  if (digits <= EVERY_DIGITS || float === value) return true;
  if (isPowerOfTwo(float)) return undefined;
  const apart = Math.abs(value - float) * power;
  if (Math.abs(apart - 0.5) < UNSURE) return undefined;
  // Another number of as many digits is nearer.
  if (apart > 0.5) return false;
  const shorterPower = POWERS[behind - 1] ?? 1;
  const scaled = float * shorterPower;
  const shorter = Math.round(scaled);
  if (Math.abs(Math.abs(scaled - shorter) - 0.5) < UNSURE) return undefined;
  return Math.fround(shorter / shorterPower) !== float;
}

const BITS = new DataView(new ArrayBuffer(4));

/** Below a power of two its neighbours are nearer than above, and fewer digits may do than seems. */
function isPowerOfTwo(float: number): boolean {
  BITS.setFloat32(0, float);
  return (BITS.getUint32(0) & 0x7f_ff_ff) === 0;
}
