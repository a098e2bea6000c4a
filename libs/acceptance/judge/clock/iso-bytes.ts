import { isDay } from './calendar.js';

/** The bytes that ISO 8601 writes times with. */
const [MINUS, POINT, COLON, ZERO, NINE, LETTER_T, SPACE] = [0x2d, 0x2e, 0x3a, 0x30, 0x39, 0x54, 0x20]; // prettier-ignore

/** Lengths of `YYYY-MM-DD`, `hh:mm:ss`, and both with what stands between them. */
export const [DAY_LENGTH, CLOCK_LENGTH, TIME_LENGTH] = [10, 8, 19];
const FRACTION_MAX = 9;

/** @returns -1 where one of them is no digit */
export function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte < ZERO || byte > NINE) return -1;
    value = value * 10 + byte - ZERO;
  }
  return value;
}

const [YEARS_FROM, YEARS_TO] = [1900, 2299];

/**
 * Reads `YYYY-MM-DD` as that number. The result is -1 where the text is no day, or a day that the
 * engine does not have.
 */
export function dayAt(bytes: Buffer, at: number): number {
  if (bytes[at + 4] !== MINUS || bytes[at + 7] !== MINUS) return -1;
  const [year, month, day] = [digits(bytes, at, 4), digits(bytes, at + 5, 2), digits(bytes, at + 8, 2)]; // prettier-ignore
  if (year < YEARS_FROM || year > YEARS_TO || !isDay(year, month - 1, day)) return -1;
  return year * 10_000 + month * 100 + day;
}

/** Tells whether `hh:mm:ss` is there, within a day. */
export function isClockAt(bytes: Buffer, at: number): boolean {
  if (bytes[at + 2] !== COLON || bytes[at + 5] !== COLON) return false;
  const [hour, minute, second] = [digits(bytes, at, 2), digits(bytes, at + 3, 2), digits(bytes, at + 6, 2)]; // prettier-ignore
  return hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
}

/** Tells whether this byte may stand between `YYYY-MM-DD` and `hh:mm:ss`. */
export const isBetween = (byte: number | undefined): boolean => byte === LETTER_T || byte === SPACE;

/**
 * Finds the end of an optional fraction of a second. It is -1 where the fraction has no digits, or
 * too many.
 */
export function endOfFraction(bytes: Buffer, at: number, to: number): number {
  if (at >= to || bytes[at] !== POINT) return at;
  let end = at + 1;
  while (end < to && digits(bytes, end, 1) >= 0) end += 1;
  return end === at + 1 || end - at - 1 > FRACTION_MAX ? -1 : end;
}

/** Tells how many digits of a second there are, zeros at their end not counted. */
export function significantDigits(bytes: Buffer, point: number, end: number): number {
  let last = end;
  while (last > point + 1 && bytes[last - 1] === ZERO) last -= 1;
  return Math.max(0, last - point - 1);
}
