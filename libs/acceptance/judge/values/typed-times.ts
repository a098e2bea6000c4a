import {
  CLOCK_LENGTH,
  DAY_LENGTH,
  dayAt,
  digits as digitsAt,
  endOfFraction,
  isBetween,
  isClockAt,
  significantDigits,
  TIME_LENGTH,
} from '../clock/iso-bytes.js';
import { isoTimeAt } from '../clock/iso-time.js';
import { plainDecimal, wholeDigits } from './plain-decimal.js';
import {
  MICROSECONDS_ABOVE,
  MILLISECONDS_ABOVE,
  NANOSECONDS_ABOVE,
  toldTime,
} from './time-text.js';
import { textOfSecond } from '../clock/second-text.js';
import { AS_IT_STANDS, type ValueReader } from './value-reader.js';

const [Z, SPACE] = [0x5a, 0x20];

export const days: ValueReader = (bytes, from, to, isText) =>
  isText && to - from === DAY_LENGTH && dayAt(bytes, from) > 0 ? AS_IT_STANDS : undefined;

/** Reads times of a day, with digits of a second. */
export const timesOfDay =
  (digits: number): ValueReader =>
  (bytes, from, to, isText) => {
    if (!isText || to - from < CLOCK_LENGTH || !isClockAt(bytes, from)) return undefined;
    const point = from + CLOCK_LENGTH;
    const end = endOfFraction(bytes, point, to);
    if (end !== to || significantDigits(bytes, point, end) > digits) return undefined;
    return end - point - 1 <= digits ? AS_IT_STANDS : cut(bytes, from, point, digits);
  };

/** Cuts a time behind the last digit that its type has; the digits behind it are zeros. */
const cut = (bytes: Buffer, from: number, point: number, digits: number): string =>
  bytes.toString('latin1', from, digits === 0 ? point : point + 1 + digits);

/** The engine's times in nanoseconds end within this day, after these seconds. */
export const LAST_NANO_DAY = 22_620_411;
const LAST_NANO_SECOND = 9_223_372_036;
const LAST_NANOS = '854775807';
const NANO_DIGITS = 9;
/** The bounds of times in seconds since the epoch: 1900-01-01, and the last of 2299. */
const [EARLIEST, LATEST] = [-2_208_988_800, 10_413_791_999];

/**
 * Reads times of ISO 8601 and RFC 2822, and numbers, which count from 1970 in a unit that their
 * size tells. A local time has no zone, and a number counts on its clock.
 */
export const timestamps = (digits: number, isUtc: boolean): ValueReader => {
  const ofNumber = (text: string): string | undefined => {
    const told = secondsOf(text, digits);
    return told && written(told.seconds, told.fraction, digits);
  };
  const ofText = (text: string): string | undefined => {
    const told = toldTime(text);
    if (!told) return plainDecimal(text) ? ofNumber(text) : undefined;
    if (told.hasZone && !isUtc) return undefined;
    return written(told.milliseconds / 1000, told.fraction, digits);
  };
  const ofOtherText = (bytes: Buffer, from: number, to: number): string | undefined => {
    const iso = isoTimeAt(bytes, from, to);
    if (!iso) return ofText(bytes.toString('latin1', from, to));
    if (iso.hasZone && !isUtc) return undefined;
    const fraction = bytes.toString('latin1', iso.fractionFrom, iso.fractionTo);
    return written(iso.milliseconds / 1000, fraction, digits);
  };
  return (bytes, from, to, isText) => {
    if (!isText) {
      const told = plainTicks(bytes, from, to);
      if (!told) return ofNumber(bytes.toString('latin1', from, to));
      return written(told.seconds, told.fraction, digits);
    }
    const day = to - from < TIME_LENGTH ? -1 : dayAt(bytes, from);
    const isPlain = day > 0 && isBetween(bytes[from + DAY_LENGTH]) && isClockAt(bytes, from + 11);
    const point = from + TIME_LENGTH;
    const end = isPlain ? endOfFraction(bytes, point, to) : -1;
    const isWhole = end === to || (isUtc && end === to - 1 && bytes[end] === Z);
    if (end < 0 || !isWhole || (digits === NANO_DIGITS && day >= LAST_NANO_DAY))
      return ofOtherText(bytes, from, to);
    if (significantDigits(bytes, point, end) > digits) return undefined;
    const kept = Math.min(end - point - 1, digits);
    if (end === to && kept === end - point - 1 && bytes[from + DAY_LENGTH] === SPACE)
      return AS_IT_STANDS;
    return `${bytes.toString('latin1', from, from + DAY_LENGTH)} ${cut(bytes, from + DAY_LENGTH + 1, point, Math.max(0, kept))}`;
  };
};

/** Writes a time as the engine reads it; undefined where the column cannot have it. @param fraction digits of a second */
function written(seconds: number, fraction: string, digits: number): string | undefined {
  if (seconds < EARLIEST || seconds > LATEST) return undefined;
  const significant = fraction.endsWith('0') ? fraction.replace(/0+$/, '') : fraction;
  if (significant.length > digits) return undefined;
  if (digits === NANO_DIGITS && isBeyondNanos(seconds, significant)) return undefined;
  const behind = significant === '' ? '' : `.${significant}`;
  return `${textOfSecond(seconds)}${behind}`;
}

const isBeyondNanos = (seconds: number, fraction: string): boolean =>
  seconds > LAST_NANO_SECOND ||
  (seconds === LAST_NANO_SECOND && fraction.padEnd(NANO_DIGITS, '0') > LAST_NANOS);

/** More digits than any number of nanoseconds has. */
const WHOLE_MAX = 20;

/** All integers of so many digits are safe, and none of them counts nanoseconds. */
const SAFE_DIGITS = 15;

/** Reads the seconds of a number of digits alone, as most programs write it. It is undefined if there is anything else. */
function plainTicks(bytes: Buffer, from: number, to: number): Seconds | undefined {
  const ticks = to - from > SAFE_DIGITS ? -1 : digitsAt(bytes, from, to - from);
  if (ticks < 0) return undefined;
  const unit = ticks > MICROSECONDS_ABOVE ? 6 : ticks > MILLISECONDS_ABOVE ? 3 : 0;
  if (unit === 0) return { seconds: ticks, fraction: '' };
  const seconds = Math.floor(ticks / 10 ** unit);
  return { seconds, fraction: String(ticks - seconds * 10 ** unit).padStart(unit, '0') };
}

interface Seconds {
  readonly seconds: number;
  /** Digits of a second. */
  readonly fraction: string;
}

/**
 * Reads the seconds of a number, exactly. It is undefined if the number has more digits of a second
 * than are kept.
 * @param text a number of JSON's grammar
 */
function secondsOf(text: string, digits: number): Seconds | undefined {
  const value = plainDecimal(text);
  if (!value || wholeDigits(value) > WHOLE_MAX) return undefined;
  // The number counts ticks, of which a second has 10 to the power of `digits`.
  const shift = value.exponent + digits - unitDigits(text);
  if (shift < 0) return undefined;
  const ticks = BigInt(value.digits || '0') * 10n ** BigInt(shift) * (value.isNegative ? -1n : 1n);
  const second = 10n ** BigInt(digits);
  const within = ((ticks % second) + second) % second;
  return {
    seconds: Number((ticks - within) / second),
    fraction: digits === 0 ? '' : String(within).padStart(digits, '0'),
  };
}

/** The digits of a second in the unit of a number. The number's size tells the unit. */
function unitDigits(text: string): number {
  const size = Math.abs(Number(text));
  // Near the larger limits a float is not exact, so long integers are compared as integers.
  const isAbove = (limit: bigint | number): boolean =>
    Number.isSafeInteger(size) || !/^-?\d+$/.test(text)
      ? size > Number(limit)
      : BigInt(text.replace('-', '')) > BigInt(limit);
  if (isAbove(NANOSECONDS_ABOVE)) return 9;
  if (isAbove(MICROSECONDS_ABOVE)) return 6;
  return isAbove(MILLISECONDS_ABOVE) ? 3 : 0;
}
