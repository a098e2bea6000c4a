import { PostgresError } from '../protocol/protocol-error.js';

/** OID of PostgreSQL's type. No column has it, so it is a type of parameters only. */
export const INTERVAL = 1186;

/** A length of time as a number of one of the engine's units. */
export interface IntervalValue {
  readonly unit: 'Month' | 'Day' | 'Microsecond';
  readonly number: bigint;
}

const DAY = 86_400_000_000n;
const BINARY_BYTES = 16;
/** Microseconds of a unit, by its names. */
const UNITS: readonly (readonly [names: RegExp, micros: number])[] = [
  [/^(?:us|usecs?|microseconds?)$/, 1],
  [/^(?:ms|msecs?|milliseconds?)$/, 1000],
  [/^(?:s|secs?|seconds?)$/, 1_000_000],
  [/^(?:m|mins?|minutes?)$/, 60_000_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000_000],
  [/^(?:d|days?)$/, Number(DAY)],
  [/^(?:w|weeks?)$/, 7 * Number(DAY)],
];
const MONTHS: readonly (readonly [names: RegExp, months: bigint])[] = [
  [/^(?:mons?|months?)$/, 1n],
  [/^(?:y|yrs?|years?)$/, 12n],
];

/** @throws {PostgresError} 0A000, 22P03 */
export function intervalOfBinary(bytes: Buffer): IntervalValue {
  if (bytes.length !== BINARY_BYTES)
    throw new PostgresError('22P03', 'incorrect binary data for type interval');
  const days = BigInt(bytes.readInt32BE(8));
  return intervalOf(BigInt(bytes.readInt32BE(12)), days * DAY + bytes.readBigInt64BE(0));
}

/**
 * Reads `1 day 02:00:00`, `-3 hours`, and `P1DT2H`.
 * @throws {PostgresError} 0A000, 22007
 */
export function intervalOfText(text: string): IntervalValue {
  const wrong = new PostgresError('22007', `invalid input syntax for type interval: ${JSON.stringify(text.slice(0, 80))}`); // prettier-ignore
  const plain = text.trim().toLowerCase().replace(/^@\s*/, '');
  const [iso, days = '', clock = ''] = /^p(?=.)([^t]*)(?:t(.+))?$/.exec(plain) ?? [];
  // In ISO's form an M before the T is a month.
  const spoken = iso === undefined ? plain : `${days.replaceAll('m', 'mon')} ${clock}`;
  let [months, micros, end] = [0n, 0n, 0];
  const pieces =
    /\s*(?:([+-]?)(\d+):(\d\d)(?::(\d\d(?:\.\d{1,6})?))?|([+-]?\d+(?:\.\d{1,6})?)\s*([a-z]+))/gy;
  for (const [
    piece,
    sign,
    hours,
    minutes = '0',
    seconds = '0',
    number = '',
    unit = '',
  ] of spoken.matchAll(pieces)) {
    end += piece.length;
    if (hours !== undefined) {
      const whole = BigInt(hours) * 3600n + BigInt(minutes) * 60n;
      micros += (sign === '-' ? -1n : 1n) * (whole * 1_000_000n + microsOf(seconds, 1_000_000));
      continue;
    }
    const inMonths = MONTHS.find(([names]) => names.test(unit))?.[1];
    const inMicros = UNITS.find(([names]) => names.test(unit))?.[1];
    if (inMonths !== undefined && /^[+-]?\d+$/.test(number)) months += BigInt(number) * inMonths;
    else if (inMicros !== undefined) micros += microsOf(number, inMicros);
    else throw wrong;
  }
  if (end === 0 || spoken.slice(end).trim() !== '') throw wrong;
  return intervalOf(months, micros);
}

/** A number with up to six digits behind the point, times so many microseconds, exactly. */
function microsOf(number: string, micros: number): bigint {
  const [whole = '', fraction = ''] = number.replace(/^[+-]/, '').split('.');
  const millionths = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  const value = (millionths * BigInt(micros)) / 1_000_000n;
  return number.startsWith('-') ? -value : value;
}

function intervalOf(months: bigint, micros: bigint): IntervalValue {
  if (months !== 0n && micros !== 0n)
    throw new PostgresError('0A000', "an interval of months and of days is not taken as one value: add two, or write INTERVAL '1 month'"); // prettier-ignore
  if (BigInt.asIntN(64, micros) !== micros || BigInt.asIntN(32, months) !== months)
    throw new PostgresError('22008', 'interval out of range');
  if (months !== 0n) return { unit: 'Month', number: months };
  // The engine adds nothing shorter than a day to a day.
  return micros % DAY === 0n
    ? { unit: 'Day', number: micros / DAY }
    : { unit: 'Microsecond', number: micros };
}
