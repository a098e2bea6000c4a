import { MillraceError } from '@app/platform';
import type { Known } from '../casts/known-type.js';
import { fn, type ScalarFunction } from '../functions/scalar-function.js';

const NUMBER = /^-?\s*\d+(\.\d*)?(?:e[-+]?\d+)?$/i;

/** Writes whole ones of a unit; the engine would leave the fraction of a number out. */
const whole = (unit: string): ScalarFunction =>
  fn(1, 1, (x) => {
    const isFraction = NUMBER.test(x) && !Number.isInteger(Number(x));
    if (!isFraction) return `toInterval${unit}(${x})`;
    throw new MillraceError('INVALID_SQL', `to_${unit.toLowerCase()}s counts whole ones, not ${x}; to_seconds and to_milliseconds take fractions`); // prettier-ignore
  });

/** Writes a unit of so many microseconds, with its fractions. */
const fractional = (unit: string, microseconds: number): ScalarFunction =>
  fn(1, 1, (x) =>
    /^-?\s*\d+$/.test(x)
      ? `toInterval${unit}(${x})`
      : `toIntervalMicrosecond(toInt64(round((${x}) * ${microseconds})))`,
  );

/** DuckDB's, by name in lower case; `to_days` is another thing in the engine, as in MySQL. */
export const LENGTHS_OF_TIME: Readonly<Record<string, ScalarFunction>> = {
  to_years: whole('Year'),
  to_months: whole('Month'),
  to_weeks: whole('Week'),
  to_hours: whole('Hour'),
  to_minutes: whole('Minute'),
  to_seconds: fractional('Second', 1_000_000),
  to_milliseconds: fractional('Millisecond', 1000),
  to_microseconds: whole('Microsecond'),
};

/** Units whose fractions are so many microseconds; a year and a month have none. */
const MICROSECONDS: Readonly<Record<string, number | undefined>> = {
  to_weeks: 604_800_000_000,
  to_hours: 3_600_000_000,
  to_minutes: 60_000_000,
  to_years: undefined,
  to_months: undefined,
  to_microseconds: undefined,
};

/**
 * Writes a unit of numbers that may have fractions, as columns of floats and decimals.
 * @param name in lower case
 * @throws {MillraceError} INVALID_SQL where the unit's fraction is no length of time
 */
export function fractionsOfTime(
  name: string,
  { kind, scale }: Known,
  [x = '']: readonly string[],
): string | undefined {
  const hasFractions = kind === 'float' || (kind === 'decimal' && scale > 0);
  if (!hasFractions || NUMBER.test(x) || !Object.hasOwn(MICROSECONDS, name)) return undefined;
  const microseconds = MICROSECONDS[name];
  if (microseconds !== undefined)
    return `toIntervalMicrosecond(toInt64(round((${x}) * ${microseconds})))`;
  throw new MillraceError('INVALID_SQL', `${name} counts whole ones, and this may have fractions: CAST it to BIGINT, or round it`); // prettier-ignore
}

/**
 * Writes the engine's `age('day', from, to)`, the whole days between.
 * @throws {MillraceError} INVALID_SQL for Postgres' of two times: months and days in one are no value here.
 */
export function age(...args: string[]): string {
  if (args.length > 2) return `age(${args.join(', ')})`;
  throw new MillraceError('INVALID_SQL', "age(a, b) is not read: age('day', b, a), or 'month' and the like, counts the whole ones between, and a - b is seconds"); // prettier-ignore
}
