import { quoteText } from '@app/warehouse';
import { SEARCH_CODE, searchError } from './search-error.js';

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^s(?:ec(?:ond)?s?)?$/i, 1],
  [/^m(?:in(?:ute)?s?)?$/i, 60],
  [/^h(?:(?:ou)?rs?)?$/i, 3600],
  [/^d(?:ays?)?$/i, 86_400],
  [/^w(?:eeks?)?$/i, 604_800],
];

/** `[range from so many seconds on, bucket of so many seconds]`, longest first. */
const AUTOMATIC: readonly (readonly [number, number])[] = [
  [60 * 86_400, 86_400],
  [30 * 86_400, 12 * 3600],
  [28 * 86_400, 6 * 3600],
  [21 * 86_400, 3 * 3600],
  [15 * 86_400, 2 * 3600],
  [6 * 3600, 3600],
  [2 * 3600, 60],
  [3600, 30],
  [1800, 15],
  [10, 10],
  [0, 1],
];
const UNBOUNDED = 3600;
export const HISTOGRAM_MAX_SECONDS = 1000 * 604_800;

/** The seconds of a bucket for a range of so many seconds; undefined means no bound. */
export function automaticInterval(rangeSeconds: number | undefined): number {
  if (rangeSeconds === undefined) return UNBOUNDED;
  return AUTOMATIC.find(([from]) => rangeSeconds >= from)?.[1] ?? 1;
}

/** Seconds of `<n> <unit>`. @throws {MillraceError} INVALID_SEARCH */
export function readInterval(text: string): number {
  const [, count = '', unit = ''] = /^\s*(\d{1,9})\s*([a-z]+)\s*$/i.exec(text) ?? [];
  const seconds = UNITS.find(([name]) => name.test(unit))?.[1];
  const interval = Number(count) * (seconds ?? 0);
  if (interval > 0 && interval <= HISTOGRAM_MAX_SECONDS) return interval;
  throw searchError(
    SEARCH_CODE.invalidSql,
    `histogram: want an interval such as '5 minute' (second, minute, hour, day, week), not ${JSON.stringify(text.slice(0, 40))}`,
  );
}

/** Seconds of a bucket when a range is to have so many. @throws {MillraceError} INVALID_SEARCH */
export function intervalOfCount(buckets: number, rangeSeconds: number | undefined): number {
  if (!Number.isInteger(buckets) || buckets < 1)
    throw searchError(
      SEARCH_CODE.invalidSql,
      'histogram: the number of buckets is a whole number from 1 on',
    );
  if (rangeSeconds === undefined) {
    throw searchError(
      SEARCH_CODE.invalidSql,
      'histogram: a number of buckets needs start_time and end_time; or give an interval',
    );
  }
  return Math.max(1, Math.floor(rangeSeconds / buckets));
}

/** Buckets are counted from here, as OpenObserve has it: a Monday. */
const ORIGIN = Date.UTC(2001, 0, 1) / 1000;

/** A name of IANA's, such as `Europe/Berlin`. @throws {MillraceError} INVALID_SEARCH */
export function readTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw searchError(
      SEARCH_CODE.invalidSql,
      `histogram: want a time zone such as 'Europe/Berlin', not ${JSON.stringify(name.slice(0, 40))}`,
    );
  }
}

/**
 * The bucket's start as text, in the local time of a zone. When clocks are put back, the buckets of
 * an hour contain two hours.
 */
export function histogramSql(time: string, interval: number, zone = 'UTC'): string {
  // The time is first rounded to whole seconds, because the engine truncates towards 1970.
  const utc = `toUnixTimestamp64Second(toStartOfSecond(toDateTime64(${time}, 6, 'UTC')))`;
  const seconds =
    zone === 'UTC' ? utc : `(${utc} + timezoneOffset(toTimeZone(${time}, ${quoteText(zone)})))`;
  const start = `${seconds} - positiveModulo(${seconds} - ${ORIGIN}, ${interval})`;
  return `formatDateTime(fromUnixTimestamp64Second(${start}, 'UTC'), '%Y-%m-%dT%H:%i:%S')`;
}
