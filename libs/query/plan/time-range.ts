import { quoteText } from '@app/warehouse';
import type { TableDescription } from '../catalog.js';

/** Microseconds since the epoch, `[start, end)`; undefined means no bound. */
export interface TimeRange {
  readonly start: number | undefined;
  readonly end: number | undefined;
}

/** A smaller number cannot be a recent time in microseconds: it is in seconds or milliseconds. */
export const MICROSECONDS_FROM = 1e12;

/** The column that a time range limits. */
const TIME = '_timestamp';
const TIME_TYPE = /^(?:Nullable\()?DateTime/;

/**
 * The engine's settings by which a statement reads no row outside of the range, wherever in it a
 * table stands, and whatever its conditions are. The statement itself does not change, so places in
 * error messages stay correct.
 * @param tables that the statement reads; those without a time of that name are read whole
 */
export function withinTime(
  database: string,
  tables: readonly TableDescription[],
  range: TimeRange,
): Readonly<Record<string, string>> {
  const conditions = [
    ...(range.start === undefined ? [] : [`${TIME} >= ${timeOf(range.start)}`]),
    ...(range.end === undefined ? [] : [`${TIME} < ${timeOf(range.end)}`]),
  ];
  const timed = tables.filter(({ columns }) =>
    columns.some(({ name, type }) => name === TIME && TIME_TYPE.test(type)),
  );
  if (conditions.length === 0 || timed.length === 0) return {};
  const filter = quoteText(conditions.join(' AND '));
  // The table has its full name here: a short name would also match an alias in the statement.
  const filters = timed.map(({ name }) => `${quoteText(`${database}.${name}`)}:${filter}`);
  return { additional_table_filters: `{${filters.join(',')}}` };
}

/** Writes a time without quotes, so that it can stand within a text. */
const timeOf = (microseconds: number): string =>
  `fromUnixTimestamp64Micro(toInt64(${microseconds}))`;
