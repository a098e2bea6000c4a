import { MillraceError } from '@app/platform';
import { one, type ScalarFunction } from '../functions/scalar-function.js';

/** DuckDB's, by name in lower case; `to_days` is another thing in the engine, as in MySQL. */
export const LENGTHS_OF_TIME: Readonly<Record<string, ScalarFunction>> = {
  to_years: one('toIntervalYear'),
  to_months: one('toIntervalMonth'),
  to_weeks: one('toIntervalWeek'),
  to_hours: one('toIntervalHour'),
  to_minutes: one('toIntervalMinute'),
  to_seconds: one('toIntervalSecond'),
  to_milliseconds: one('toIntervalMillisecond'),
  to_microseconds: one('toIntervalMicrosecond'),
};

/**
 * Writes the engine's `age('day', from, to)`, the whole days between.
 * @throws {MillraceError} INVALID_SQL for Postgres' of two times: months and days in one are no value here.
 */
export function age(...args: string[]): string {
  if (args.length > 2) return `age(${args.join(', ')})`;
  throw new MillraceError('INVALID_SQL', "age(a, b) is not read: age('day', b, a), or 'month' and the like, counts the whole ones between, and a - b is seconds"); // prettier-ignore
}
