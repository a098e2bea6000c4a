import { certain, MillraceError } from '@app/platform';
import { isInteger, type Known } from '../casts/known-type.js';
import { literal } from '../functions/scalar-function.js';
import { UNIT_LENGTHS } from '../lengths/unit-lengths.js';

/** Microseconds of 3 January 2000, a Monday. */
const ORIGIN = 946_857_600_000_000n;
const MICROSECONDS: Readonly<Record<string, bigint>> = Object.fromEntries(
  Object.entries(UNIT_LENGTHS).map(([unit, length]) => [unit, BigInt(length)]),
);
const MONTHS: Readonly<Record<string, number>> = { Month: 1, Quarter: 3, Year: 12 };
/** The microseconds of 400 years. All supported times are within this range. */
const WIDTH_MAX = 146_097n * BigInt(UNIT_LENGTHS.Day);
const WIDTH = /^\(?toInterval([A-Z][a-z]+)\((\d{1,9})\)\)?$/;

/**
 * The beginning of the bucket of that width for a time, also before 1970.
 * @param width the engine's call that makes the interval.
 * @returns undefined if the width is no constant.
 * @throws {MillraceError} INVALID_SQL for a width beyond all times.
 */
export function bucket(width: string, time: string): string | undefined {
  const [, unit = '', count = ''] = WIDTH.exec(width) ?? [];
  if (Number(count) === 0) return undefined;
  const point = `toDateTime64(${time}, 6, 'UTC')`;
  const months = MONTHS[unit];
  if (months !== undefined) {
    const since = `(toInt64(toYear(${point})) * 12 + toMonth(${point}) - 24001)`;
    const begin = `${since} - positiveModulo(${since}, toInt64(${months * Number(count)}))`;
    return `addMonths(toDateTime64('2000-01-01', 6, 'UTC'), ${begin})`;
  }
  const length = MICROSECONDS[unit];
  if (length === undefined) return undefined;
  if (length * BigInt(count) > WIDTH_MAX)
    throw new MillraceError('INVALID_SQL', `a bucket is up to 400 years wide, not ${count} ${unit.toLowerCase()}s`); // prettier-ignore
  const micros = `toUnixTimestamp64Micro(${point})`;
  const within = `positiveModulo(${micros} - ${ORIGIN}, toInt64(${length * BigInt(count)}))`;
  return `fromUnixTimestamp64Micro(${micros} - ${within}, 'UTC')`;
}

/**
 * The same from an origin on, and before it. The engine refuses times before the origin, nulls too,
 * and counts a month that began later in the month as if it had begun.
 */
export function bucketFrom(width: string, time: string, origin: string): string | undefined {
  const [, unit = '', count = ''] = WIDTH.exec(width) ?? [];
  const [months, length] = [MONTHS[unit], MICROSECONDS[unit]];
  if (Number(count) === 0 || (months === undefined && length === undefined)) return undefined;
  const [point, from] = [time, origin].map((each) => `toDateTime64(${each}, 6, 'UTC')`);
  if (months === undefined) {
    const micros = `toUnixTimestamp64Micro(${point})`;
    const steps = `toInt64(${certain(length, 'length of a unit') * BigInt(count)})`;
    const within = `positiveModulo(${micros} - toUnixTimestamp64Micro(${from}), ${steps})`;
    return `fromUnixTimestamp64Micro(${micros} - ${within}, 'UTC')`;
  }
  const steps = `toInt64(${months * Number(count)})`;
  const monthOf = (each: string): string => `(toInt64(toYear(${each})) * 12 + toMonth(${each}))`;
  const begin = `m - positiveModulo(m, ${steps})`;
  const since = `arrayMap(m -> if(addMonths(o, ${begin}) > p, ${begin} - ${steps}, ${begin}), [${monthOf('p')} - ${monthOf('o')}])[1]`;
  return `arrayMap((p, o) -> addMonths(o, ${since}), [${point}], [${from}])[1]`;
}

/** Names of zones have letters, and times of ISO 8601 begin with a digit. */
const ZONE = /^[A-Za-z][\w+/-]*$/;
const DAYS = /^\(?toInterval(?:Day|Week|Month|Quarter|Year)\(/;

/**
 * The same by the clocks of a zone: `time_bucket('1 day', t, 'Europe/Berlin')`.
 * @param zone a literal of the engine's
 * @returns undefined if that is no zone, or the width no constant
 */
export function bucketInZone(width: string, time: string, zone: string): string | undefined {
  const name = literal(zone);
  if (name === undefined || !ZONE.test(name)) return undefined;
  const point = `toTimeZone(toDateTime64(${time}, 6, 'UTC'), ${zone})`;
  if (DAYS.test(width)) {
    const begin = bucket(width, `toString(${point})`);
    return begin && `toTimeZone(toDateTime64(toString(${begin}), 6, ${zone}), 'UTC')`;
  }
  const offset = `timezoneOffset(${point})`;
  const begin = bucket(width, `addSeconds(toDateTime64(${time}, 6, 'UTC'), ${offset})`);
  return begin && `subtractSeconds(${begin}, ${offset})`;
}

/**
 * A bucket of a time without a zone has none either. A cast would keep the zone, so the time itself
 * is moved.
 * @param types of the arguments: the width and the time, in either order.
 */
export function inZoneOfTime(
  name: string,
  types: readonly Known[],
  args: readonly string[],
  written: string,
): string {
  const at = types.findIndex(({ kind, isLocal }) => kind === 'date' || isLocal);
  if (!BUCKETS.test(name) || at === -1 || at > 1) return written;
  const time = certain(args[at], 'time of a bucket');
  const since = `toUnixTimestamp64Micro(toDateTime64(${time}, 6, 'UTC'))`;
  return `addMicroseconds(CAST(${time}, 'DateTime64(6)'), toUnixTimestamp64Micro(toDateTime64(${written}, 6, 'UTC')) - ${since})`;
}

const BUCKETS = /^(?:time_bucket|date_bin)$/;

/** DuckDB's `epoch_ms` turns an integer into a time, and a time into a number. */
export const timeOfMilliseconds = (
  name: string,
  type: Known,
  [x = '']: readonly string[],
): string | undefined =>
  name === 'epoch_ms' && isInteger(type) ? `fromUnixTimestamp64Milli(toInt64(${x}))` : undefined;
