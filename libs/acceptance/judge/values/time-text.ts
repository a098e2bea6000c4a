import { instant } from '../clock/calendar.js';
import { digits } from '../clock/iso-bytes.js';
import { isoTimeAt } from '../clock/iso-time.js';
import { endOfDigits } from './decimal-bytes.js';
import { integerOf } from './number-text.js';

/**
 * Tells how `_timestamp` is read. A number's unit is told by its magnitude, as OpenObserve's users
 * know it: above 31,536,000 × 10⁹ nanoseconds, × 10⁶ microseconds, × 10³ milliseconds, else seconds.
 */
export const NANOSECONDS_ABOVE = 31_536_000_000_000_000n;
export const MICROSECONDS_ABOVE = 31_536_000_000_000;
export const MILLISECONDS_ABOVE = 31_536_000_000;

/** `DateTime64(6)` holds times from 1900-01-01 up to the end of 2299, in microseconds. */
const EARLIEST = -2_208_988_800_000_000;
const LATEST = 10_413_791_999_999_999n;

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
/** RFC 2822, as mail and HTTP write it: `Tue, 03 Mar 2026 10:00:00 +0100`. */
const RFC_2822 =
  /^(?:[A-Z][a-z]{2}, )?(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):([0-5]\d)(?::([0-5]\d))? (GMT|UTC?|Z|[+-]\d{4})$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const NUMBER = /^-?\d{1,20}(?:\.\d{1,20})?$/;

/**
 * Microseconds since the epoch. They are exact, so they are a bigint if a number cannot hold them.
 */
export type Micros = number | bigint;

/** @returns undefined when it is no time that can be stored */
export const microsOfText = (text: string): Micros | undefined =>
  isNumberText(text) ? microsOfNumber(text) : microsOf(toldTime(text));

/** Tells whether a text is a number that may be a time. */
export const isNumberText = (text: string): boolean => NUMBER.test(text);

const [ZERO, POINT] = [0x30, 0x2e];
const MICRO_DIGITS = 6;
/** Microseconds of a unit of a fraction, by the number of its digits. */
const MICROS_OF_DIGITS = [0, 100_000, 10_000, 1000, 100, 10, 1];

/** @returns undefined where it is not written as {@link isoTimeAt} reads it, or no time that can be stored */
export function plainIsoMicros(bytes: Buffer, from: number, to: number): Micros | undefined {
  const time = isoTimeAt(bytes, from, to);
  if (!time) return undefined;
  const told = Math.min(time.fractionTo - time.fractionFrom, MICRO_DIGITS);
  const rest = digits(bytes, time.fractionFrom, told) * (MICROS_OF_DIGITS[told] ?? 0);
  return inMicros(time.milliseconds, rest);
}

function numberAt(bytes: Uint8Array, from: number, count: number): number {
  let number = 0;
  for (let at = from; at < from + count; at += 1) number = number * 10 + (bytes[at] ?? 0) - ZERO;
  return number;
}

/**
 * Tells whether microseconds would be read as microseconds, by their size. Those around 1970 would
 * not.
 */
export const isToldByMagnitude = (micros: Micros): boolean =>
  micros > MICROSECONDS_ABOVE || micros < -MICROSECONDS_ABOVE;

/** All integers of so many digits are safe. */
const SAFE_DIGITS = 15;
/**
 * Microseconds of so many digits are safe, too, where the first digit is not greater than the one
 * below.
 */
const MICROS_DIGITS = 16;
const FIRST_DIGIT_MAX = 0x38;
/** Nanoseconds since 1973 have so many digits. */
const NANOS_DIGITS = 18;

/** The digit from which on a number is rounded up. */
const HALF_DIGIT = 0x35;

/**
 * Reads a number's time directly from the bytes if it is a whole number, or seconds with a fraction, as most programs write it.
 * @returns undefined if it is written otherwise, or is no time that can be stored
 */
export function plainMicros(bytes: Uint8Array, from: number, to: number): number | undefined {
  const length = to - from;
  const isMicros = length === MICROS_DIGITS && (bytes[from] ?? 0) <= FIRST_DIGIT_MAX;
  // The last three digits of nanoseconds are cut off, which leaves a safe integer.
  const isNanos =
    length === NANOS_DIGITS ||
    (length === NANOS_DIGITS + 1 && (bytes[from] ?? 0) <= FIRST_DIGIT_MAX);
  const end = endOfDigits(bytes, from, to);
  if (end < to) return bytes[end] === POINT ? plainSeconds(bytes, from, end, to) : undefined;
  if (length > SAFE_DIGITS && !isMicros && !isNanos) return undefined;
  if (isNanos) return numberAt(bytes, from, length - 3);
  const value = numberAt(bytes, from, length);
  if (value > MICROSECONDS_ABOVE) return value;
  const micros = value > MILLISECONDS_ABOVE ? value * 1000 : value * 1_000_000;
  return micros > LATEST ? undefined : micros;
}

/** Seconds of so many digits are told from milliseconds by their number. */
const SECONDS_DIGITS = 10;

/** Reads seconds with a fraction, as Python's `time.time()` has them, to the nearest microsecond. */
function plainSeconds(
  bytes: Uint8Array,
  from: number,
  point: number,
  to: number,
): number | undefined {
  const count = to - point - 1;
  if (point === from || point - from > SECONDS_DIGITS || count === 0) return undefined;
  if (endOfDigits(bytes, point + 1, to) < to) return undefined;
  const told = Math.min(count, MICRO_DIGITS);
  const rest = numberAt(bytes, point + 1, told) * (MICROS_OF_DIGITS[told] ?? 0);
  const isRoundedUp = count > MICRO_DIGITS && (bytes[point + 1 + MICRO_DIGITS] ?? 0) >= HALF_DIGIT;
  const micros = numberAt(bytes, from, point - from) * 1_000_000 + rest + (isRoundedUp ? 1 : 0);
  return Number.isSafeInteger(micros) ? micros : undefined;
}

/** @param text a number as JSON writes it */
export function microsOfNumber(text: string): Micros | undefined {
  const integer = /^-?\d+$/.test(text) ? text : integerOf(text);
  const micros = integer === undefined ? scaledFraction(text) : scaledInteger(String(integer));
  return micros === undefined ? undefined : stored(micros);
}

function scaledInteger(text: string): Micros {
  const value = Number(text);
  if (Math.abs(value) <= MICROSECONDS_ABOVE)
    return Math.abs(value) > MILLISECONDS_ABOVE ? value * 1000 : value * 1_000_000;
  if (Number.isSafeInteger(value)) return value;
  const exact = BigInt(text);
  return exact > NANOSECONDS_ABOVE || exact < -NANOSECONDS_ABOVE ? exact / 1000n : exact;
}

/**
 * Rounds the number as it is written to the nearest microsecond. A product of floats would not be
 * exact.
 */
function scaledFraction(text: string): Micros | undefined {
  const [digits = '', exponent = '0'] = text.split(/[eE]/);
  const times = (power: number): Micros | undefined =>
    whole(Number(`${digits}e${Number(exponent) + power}`));
  const size = Math.abs(Number(text));
  if (size > Number(NANOSECONDS_ABOVE)) return times(-3);
  if (size > MICROSECONDS_ABOVE) return times(0);
  return times(size > MILLISECONDS_ABOVE ? 3 : 6);
}

const whole = (value: number): Micros | undefined =>
  Number.isFinite(value) ? BigInt(Math.round(value)) : undefined;

/** A time as a text tells it. */
interface ToldTime {
  readonly milliseconds: number;
  /** Digits of a second. */
  readonly fraction: string;
  readonly hasZone: boolean;
}

/** Reads a time of ISO 8601 or RFC 2822; one without a zone is read as one of UTC. */
export function toldTime(text: string): ToldTime | undefined {
  const iso = ISO_8601.exec(text);
  if (iso) {
    const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = iso;
    const date = [Number(year), Number(month) - 1, Number(day)] as const;
    const clock = [Number(hour), Number(minute), Number(second)] as const;
    return told(instant(date, clock, zone ?? 'Z'), fraction, zone !== undefined);
  }
  const mail = RFC_2822.exec(text);
  if (!mail) return undefined;
  const [, day, month = '', year, hour, minute, second = '0', zone = 'Z'] = mail;
  const date = [Number(year), MONTHS.indexOf(month), Number(day)] as const;
  const clock = [Number(hour), Number(minute), Number(second)] as const;
  return told(instant(date, clock, /^[+-]/.test(zone) ? zone : 'Z'), '', true);
}

const told = (
  milliseconds: number | undefined,
  fraction: string,
  hasZone: boolean,
): ToldTime | undefined =>
  milliseconds === undefined ? undefined : { milliseconds, fraction, hasZone };

/** Tells whether a number of milliseconds makes a safe number of microseconds. */
const SAFE_MS = 9_000_000_000_000;

const microsOf = (time: ToldTime | undefined): Micros | undefined =>
  time && inMicros(time.milliseconds, Number(time.fraction.padEnd(6, '0').slice(0, 6)));

function inMicros(milliseconds: number, rest: number): Micros | undefined {
  return stored(
    Math.abs(milliseconds) < SAFE_MS
      ? milliseconds * 1000 + rest
      : BigInt(milliseconds) * 1000n + BigInt(rest),
  );
}

function stored(micros: Micros): Micros | undefined {
  if (micros < EARLIEST || micros > LATEST) return undefined;
  if (typeof micros === 'number') return micros;
  const number = Number(micros);
  return Number.isSafeInteger(number) ? number : micros;
}

const HALF = 10 ** 8;

/**
 * Microseconds as a text. The two halves of the digits are small integers, which become texts
 * faster: lines whose times are rewritten are judged in a tenth less time.
 */
export function textOfMicros(micros: Micros): string {
  if (typeof micros === 'bigint' || micros < HALF) return String(micros);
  const high = Math.floor(micros / HALF);
  return `${high}${String(HALF + (micros - high * HALF)).slice(1)}`;
}
