const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?\s?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i;
/** The engine's DateTime64 holds times from here on. */
const FIRST = Date.UTC(1900, 0, 1);
const END = Date.UTC(2300, 0, 1);

const MICROS = 6;
const NANOS = 1_000_000_000n;

/**
 * Reads a time as uploads do: ISO 8601, or a whole number of seconds, milli-, micro- or nanoseconds
 * since 1970, told apart by magnitude. Finer digits are cut off.
 * @param digits behind the second.
 * @returns `YYYY-MM-DD hh:mm:ss.ffffff` in UTC; undefined when it is no time.
 */
export function readTime(text: string, digits = MICROS): string | undefined {
  const nanos = /^-?\d{1,19}$/.test(text) ? fromNumber(BigInt(text)) : fromIso(text);
  if (nanos === undefined) return undefined;
  const seconds = floorDivide(nanos, NANOS);
  const millis = Number(seconds) * 1000;
  if (millis < FIRST || millis >= END) return undefined;
  const fraction = String(nanos - seconds * NANOS)
    .padStart(9, '0')
    .slice(0, digits);
  return `${new Date(millis).toISOString().slice(0, 19).replace('T', ' ')}.${fraction}`;
}

/** Bounds of magnitude are OpenObserve's: each unit reaches to the year 2969. */
function fromNumber(value: bigint): bigint {
  const size = value < 0n ? -value : value;
  if (size <= 31_536_000_000n) return value * NANOS;
  if (size <= 31_536_000_000_000n) return value * 1_000_000n;
  return size <= 31_536_000_000_000_000n ? value * 1000n : value;
}

function fromIso(text: string): bigint | undefined {
  const [whole, date = '', time = '00:00', fraction = '', zone = 'Z'] = ISO.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const millis = Date.parse(`${date}T${time}${offsetOf(zone)}`);
  if (Number.isNaN(millis) || !isDay(date)) return undefined;
  return BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** Postgres prints the zone as `+00`, BigQuery as `UTC`. */
const offsetOf = (zone: string): string =>
  zone.length === 3
    ? zone.replace(/^(?:UTC|GMT)$/i, 'Z').replace(/\d$/, '$&:00')
    : zone.toUpperCase();

/** The parser reads 30 February as 2 March. */
const isDay = (date: string): boolean =>
  new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);

function floorDivide(a: bigint, b: bigint): bigint {
  return (a - (((a % b) + b) % b)) / b;
}
