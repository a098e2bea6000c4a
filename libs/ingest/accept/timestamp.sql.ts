/**
 * How `_timestamp` is read. A number's unit is told by its magnitude, as OpenObserve's users
 * know it: above 31,536,000 × 10⁹ nanoseconds, × 10⁶ microseconds, × 10³ milliseconds, else seconds.
 */
const NANOSECONDS_ABOVE = '31536000000000000';
const MICROSECONDS_ABOVE = '31536000000000';
const MILLISECONDS_ABOVE = '31536000000';

/** What `DateTime64(6)` holds: 1900-01-01 up to the end of 2299, in microseconds. */
const EARLIEST = '-2208988800000000';
const LATEST = '10413791999999999';

const ISO_8601 =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$';

const within = (micros: string): string =>
  `if(${micros} >= ${EARLIEST} AND ${micros} <= ${LATEST}, ${micros}, NULL)`;

const fromInteger = (n: string): string =>
  within(
    `multiIf(abs(${n}) > ${NANOSECONDS_ABOVE}, intDiv(${n}, 1000), abs(${n}) > ${MICROSECONDS_ABOVE}, ${n}, abs(${n}) > ${MILLISECONDS_ABOVE}, ${n} * 1000, ${n} * 1000000)`,
  );

const fromFraction = (f: string): string =>
  within(
    `toInt64OrNull(toString(round(multiIf(abs(${f}) > ${NANOSECONDS_ABOVE}, ${f} / 1000, abs(${f}) > ${MICROSECONDS_ABOVE}, ${f}, abs(${f}) > ${MILLISECONDS_ABOVE}, ${f} * 1000, ${f} * 1000000))))`,
  );

const fromText = (text: string): string =>
  within(
    `if(match(${text}, '${ISO_8601}'), toUnixTimestamp64Micro(parseDateTime64BestEffortOrNull(${text}, 6, 'UTC')), NULL)`,
  );

/** How a time value is read from its field: by the type its column has there. */
export type TimeSource = 'Int64' | 'Float64' | 'String';

/** SQL for microseconds since the epoch, NULL where `expression` is NULL or no time. */
export function timestampMicros(expression: string, source: TimeSource): string {
  switch (source) {
    case 'Int64':
      return fromInteger(expression);
    case 'Float64':
      return fromFraction(expression);
    case 'String':
      return fromText(expression);
  }
}

/** The same for a field of the record in `line`, of whatever kind it is; NULL where there is none. */
export function fieldMicros(name: string): string {
  const raw = `JSONExtractRaw(line, '${name}')`;
  return (
    `multiIf(startsWith(${raw}, '"'), ${fromText(`JSONExtractString(line, '${name}')`)},` +
    ` isNotNull(toInt64OrNull(${raw})), ${fromInteger(`assumeNotNull(toInt64OrNull(${raw}))`)},` +
    ` isNotNull(toFloat64OrNull(${raw})), ${fromFraction(`assumeNotNull(toFloat64OrNull(${raw}))`)}, NULL)`
  );
}

/** SQL: whether the record in `line` has a value in the field. */
export function hasField(name: string): string {
  return `JSONExtractRaw(line, '${name}') NOT IN ('', 'null')`;
}
