import type { ValueType } from '@app/streams';
import { microsByMagnitude } from '@app/warehouse';

/** `DateTime64(6)` holds times from 1900-01-01 up to the end of 2299, in microseconds. */
const EARLIEST = '-2208988800000000';
const LATEST = '10413791999999999';

const ISO_8601 =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$';

/** SQL: whether microseconds, in a column or NULL, are a time that can be stored. */
export const isTime = (micros: string): string =>
  `ifNull(${micros} BETWEEN ${EARLIEST} AND ${LATEST}, 0)`;

/**
 * SQL: whether a row of this time, in microseconds or NULL, would be older than the stream keeps.
 */
export const isBeforeKept = (micros: string, from: number): string =>
  `ifNull(${micros} < ${from}, 0)`;

/** Tells how a time value is read from its field: by the type its column has there. */
type TimeSource = 'Int64' | 'Float64' | 'String';

/**
 * SQL for microseconds since the epoch; NULL, or outside of what {@link isTime} admits, where the
 * value is no time. `expression` must not be NULL.
 */
export function micros(expression: string, source: TimeSource): string {
  switch (source) {
    case 'Int64':
      return microsByMagnitude(expression);
    case 'Float64':
      return `toInt64OrNull(toString(round(${microsByMagnitude(expression, `${expression} / 1000`)})))`;
    case 'String':
      return `if(match(${expression}, '${ISO_8601}'), toUnixTimestamp64Micro(parseDateTime64BestEffortOrNull(${expression}, 6, 'UTC')), NULL)`;
  }
}

const MICROS_DIGITS = 6;
const MICROS_A_DAY = 86_400_000_000;

/**
 * SQL for microseconds since the epoch of a day or of ticks, NULL or not. Fractions of a
 * microsecond are left out. A day so far away that its microseconds overflow is no time.
 */
export function microsOf(value: string, type: DayOrTime): string {
  const exact = (sql: string): string => `accurateCastOrNull(${sql}, 'Int64')`;
  if (!('digits' in type)) return exact(`toInt128(${value}) * ${MICROS_A_DAY}`);
  const factor = 10 ** Math.abs(type.digits - MICROS_DIGITS);
  if (type.digits <= MICROS_DIGITS) return exact(`toInt128(${value}) * ${factor}`);
  // The engine divides towards zero; the result must be rounded down.
  return exact(`intDiv(${value}, ${factor}) - (${value} < 0 AND ${value} % ${factor} != 0)`);
}

type DayOrTime = { readonly family: 'date' } | Extract<ValueType, { readonly family: 'timestamp' }>;
