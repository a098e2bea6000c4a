import { instant } from './calendar.js';
import { digits, endOfFraction, isBetween, TIME_LENGTH } from './iso-bytes.js';

const [PLUS, MINUS, COLON, Z] = [0x2b, 0x2d, 0x3a, 0x5a];
const MINUTE_MS = 60_000;
/** The lengths of `+hh`, `+hhmm` and `+hh:mm`. */
const [HOURS_LENGTH, SHORT_LENGTH, ZONE_LENGTH] = [3, 5, 6];

/** A time as its bytes tell it. */
interface IsoTime {
  readonly milliseconds: number;
  /** The place of the digits of a second; they are none where it is `fractionTo`. */
  readonly fractionFrom: number;
  readonly fractionTo: number;
  readonly hasZone: boolean;
}

/**
 * Reads ISO 8601 as most programs write it, `2026-01-01T00:00:00.123Z`, also with a blank in place of
 * T, with another zone, or without one, directly from the bytes: a pattern takes five times as long.
 * @returns undefined where it is written otherwise, or the calendar or the clock has no such time
 */
export function isoTimeAt(bytes: Buffer, from: number, to: number): IsoTime | undefined {
  const point = from + TIME_LENGTH;
  if (point > to || !isBetween(bytes[from + 10])) return undefined;
  if (bytes[from + 4] !== MINUS || bytes[from + 7] !== MINUS) return undefined;
  if (bytes[from + 13] !== COLON || bytes[from + 16] !== COLON) return undefined;
  const hour = digits(bytes, from + 11, 2);
  const minute = digits(bytes, from + 14, 2);
  const second = digits(bytes, from + 17, 2);
  if (hour < 0 || minute < 0 || minute > 59 || second < 0 || second > 59) return undefined;
  const end = endOfFraction(bytes, point, to);
  const offset = end < 0 ? NO_ZONE : offsetAt(bytes, end, to);
  if (offset === NO_ZONE) return undefined;
  const milliseconds = instant(
    [digits(bytes, from, 4), digits(bytes, from + 5, 2) - 1, digits(bytes, from + 8, 2)],
    [hour, minute, second],
    'Z',
  );
  if (milliseconds === undefined) return undefined;
  return {
    milliseconds: milliseconds - offset,
    fractionFrom: Math.min(point + 1, end),
    fractionTo: end,
    hasZone: end < to,
  };
}

/** The answer where something stands that is no zone. No zone has so many milliseconds. */
const NO_ZONE = Infinity;

/** Milliseconds of the zone that these bytes are; none is UTC. */
function offsetAt(bytes: Buffer, from: number, to: number): number {
  const length = to - from;
  const sign = bytes[from];
  if (length === 0 || (length === 1 && sign === Z)) return 0;
  if (sign !== PLUS && sign !== MINUS) return NO_ZONE;
  const hasColon = length === ZONE_LENGTH && bytes[from + HOURS_LENGTH] === COLON;
  if (!hasColon && length !== SHORT_LENGTH && length !== HOURS_LENGTH) return NO_ZONE;
  const hours = digits(bytes, from + 1, 2);
  const minutes = length === HOURS_LENGTH ? 0 : digits(bytes, to - 2, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return NO_ZONE;
  const offset = (hours * 60 + minutes) * MINUTE_MS;
  return sign === MINUS ? -offset : offset;
}
