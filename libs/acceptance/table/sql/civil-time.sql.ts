import type { SecondDigits } from '@app/arrow';

/** The engine's dates go from 1900 to 2299: one whole turn of the calendar, which repeats every 400 years. */
const FIRST_DAY = -25_567;
const TURN_DAYS = 146_097;
const TURN_YEARS = 400;
const SECONDS_A_DAY = 86_400;

/**
 * SQL that computes two values once, under names. Written out wherever they are needed, a thousand
 * times within structs would make a statement that the engine refuses. One within another costs the
 * engine twice the time for each level.
 */
const once = (values: Readonly<Record<string, string>>, text: string): string =>
  `arrayMap((${Object.keys(values).join(', ')}) -> ${text}, ${Object.values(values)
    .map((value) => `[${value}]`)
    .join(', ')})[1]`;

/** SQL: ISO 8601 text of a day of any year, given as days since 1970. `days` must not be NULL. */
export function dateText(days: string): string {
  const turn = `toInt64(${TURN_DAYS})`;
  const since = `(toInt64(${days}) - (${FIRST_DAY}))`;
  const within = `positiveModulo(${since}, ${turn})`;
  const date = `addDays(toDate32('1900-01-01'), within)`;
  const year = `(toYear(${date}) + ${TURN_YEARS} * turns)`;
  const digits = `leftPad(toString(abs(${year})), greatest(4, length(toString(${year}))), '0')`;
  const ofOther = once(
    { within, turns: `intDiv(${since} - ${within}, ${turn})` },
    `concat(if(${year} < 0, '-', ''), ${digits}, substring(toString(${date}), 5))`,
  );
  const isOwn = `${days} BETWEEN ${FIRST_DAY} AND ${FIRST_DAY + TURN_DAYS - 1}`;
  return `if(${isOwn}, toString(addDays(toDate32('1970-01-01'), toInt64(${days}))), ${ofOther})`;
}

/** SQL: the time of day, given in ticks since midnight. */
const clockText = (ticks: string, digits: SecondDigits, from = 12): string =>
  `substring(toString(fromUnixTimestamp64${UNIT[digits]}(toInt64(${ticks}), 'UTC')), ${from})`;

/**
 * SQL: the time of day, given in ticks since midnight. Some writers have lengths of time there, below
 * zero or of more hours than a day has: `-01:30:00`, `25:00:00`.
 */
export function timeText(ticks: string, digits: SecondDigits): string {
  const hour = `toInt64(${3600 * 10 ** digits})`;
  const size = `abs(${ticks})`;
  const hours = `if(${size} < 10 * ${hour}, '0', ''), toString(intDiv(${size}, ${hour}))`;
  return `concat(if(${ticks} < 0, '-', ''), ${hours}, ${clockText(`${size} % ${hour}`, digits, 14)})`;
}

/** SQL: ISO 8601 text of ticks since 1970, without a zone; `ticks` must not be NULL. */
export function timestampText(ticks: string, digits: SecondDigits): string {
  // The divisor is signed. With an unsigned one, the engine takes a time before 1970 for one far in
  // the future.
  const day = `toInt64(${SECONDS_A_DAY * 10 ** digits})`;
  const rest = `positiveModulo(${ticks}, ${day})`;
  // Division rounds towards zero. Subtracting first would overflow 64 bits on the first day that
  // they hold.
  const days = `intDiv(${ticks}, ${day}) - (${ticks} < 0 AND ${rest} != 0)`;
  const text = `concat(${dateText('days')}, 'T', ${clockText('rest', digits)})`;
  const ofOther = once({ days, rest }, text);
  return (
    `if(${ticks} BETWEEN 0 AND ${EVERY_ENGINE_TIME_BELOW_SECONDS}${'0'.repeat(digits)},` +
    ` replaceOne(toString(fromUnixTimestamp64${UNIT[digits]}(toInt64(${ticks}), 'UTC')), ' ', 'T'),` +
    ` ${ofOther})`
  );
}

/** The Julian day of 1970-01-01. */
const EPOCH = 2_440_588;

/** SQL: days since 1970 of a time in 96 bits. */
export const julianDay = (value: string): string =>
  `(toInt64(reinterpretAsInt32(substring(${value}, 9, 4))) - ${EPOCH})`;

/** SQL: nanoseconds since midnight of a time in 96 bits. */
export const nanosOfDay = (value: string): string =>
  `reinterpretAsInt64(substring(${value}, 1, 8))`;

/** SQL: ticks since 1970 of a time that the engine reads as its own. */
export const ticksOf = (value: string, digits: SecondDigits): string =>
  `toUnixTimestamp64${UNIT[digits]}(${value})`;

/** A second in the year 2200, which nanoseconds also reach. */
const EVERY_ENGINE_TIME_BELOW_SECONDS = 7_258_118_400;

const UNIT: Readonly<Record<SecondDigits, string>> = { 0: 'Second', 3: 'Milli', 6: 'Micro', 9: 'Nano' }; // prettier-ignore
