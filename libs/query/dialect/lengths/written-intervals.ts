import { MillraceError } from '@app/platform';
import type { Rewritten } from '../notations/rewriting.js';
import { isWord, type Nodes } from '../source-tree.js';
import { UNIT_LENGTHS } from './unit-lengths.js';

/** Units of a fixed length, in microseconds, the longest first. */
const LENGTHS: readonly (readonly [name: string, form: RegExp, microseconds: number])[] = [
  ['WEEK', /^(?:w|weeks?)$/i, UNIT_LENGTHS.Week],
  ['DAY', /^(?:d|days?)$/i, UNIT_LENGTHS.Day],
  ['HOUR', /^(?:h|hrs?|hours?)$/i, UNIT_LENGTHS.Hour],
  ['MINUTE', /^(?:m|mins?|minutes?)$/i, UNIT_LENGTHS.Minute],
  ['SECOND', /^(?:s|secs?|seconds?)$/i, UNIT_LENGTHS.Second],
  ['MILLISECOND', /^(?:ms|msecs?|milliseconds?)$/i, UNIT_LENGTHS.Millisecond],
  ['MICROSECOND', /^(?:us|usecs?|microseconds?)$/i, UNIT_LENGTHS.Microsecond],
];
/** Units of so many months. */
const MONTHS: readonly (readonly [form: RegExp, months: number])[] = [
  [/^(?:mons?|months?)$/i, 1],
  [/^quarters?$/i, 3],
  [/^(?:y|yrs?|years?)$/i, 12],
  [/^decades?$/i, 120],
  [/^centur(?:y|ies)$/i, 1200],
];
const CLOCK = /^([-+]?)(\d+):(\d\d)(?::(\d\d(?:\.\d{1,6})?))?$/;
const PIECE = /[-+]?\d+:\d\d(?::\d\d(?:\.\d{1,6})?)?|[-+]?(?:\d+\.?\d*|\.\d+)\s*[a-z]+/gi;
/** The longest text of an interval. The time to read a text grows with the square of its length. */
const TEXT_MAX = 200;
/** The engine itself reads whole numbers of units. */
const PLAIN = /^\s*[-+]?\d+\s+(?:(?:nano|micro|milli)?second|minute|hour|day|week|month|quarter|year)s?\s*$/i; // prettier-ignore

/** True for an interval that the engine reads as it stands. */
const isPlainInterval = (text: string): boolean => PLAIN.test(text);

/** The number of {@link SHARES}, so that the fractions of a sum are exact. */
interface Sum {
  months: bigint;
  microseconds: bigint;
}

/** The number of digits of a fraction is at most the length of the text. */
const SHARES = 10n ** BigInt(TEXT_MAX);

/**
 * Converts an interval in the notation of Postgres and DuckDB, `1 day 02:30:00`, `1.5 hours`,
 * `P1DT2H`, to the engine's SQL. The engine would ignore the fraction.
 * @throws {MillraceError} INVALID_SQL for an invalid interval
 */
export function writtenInterval(text: string): string {
  if (isPlainInterval(text)) return `INTERVAL '${text.trim()}'`;
  if (text.length > TEXT_MAX) throw refused(text, NONE);
  const sum = sumOf(text);
  if (sum.months % SHARES !== 0n)
    throw refused(text, 'has a fraction of a month, which is no length of time');
  if (sum.microseconds % SHARES !== 0n) throw refused(text, 'is finer than a microsecond');
  const [months, microseconds] = [Number(sum.months / SHARES), Number(sum.microseconds / SHARES)];
  if (!Number.isSafeInteger(months) || !Number.isSafeInteger(microseconds))
    throw refused(text, 'is longer than a length of time may be');
  const [unit, , length] = LENGTHS.find(([, , each]) => microseconds % each === 0) ?? ['MICROSECOND', undefined, 1]; // prettier-ignore
  const pieces = [
    ...(months === 0 ? [] : [`${months} MONTH`]),
    ...(microseconds === 0 && months !== 0 ? [] : [`${microseconds / length} ${unit}`]),
  ];
  return `INTERVAL '${pieces.join(' ')}'`;
}

/**
 * The seconds of a length of time, as SQL: a year has 365.25 days and a month 30, as in Postgres
 * and DuckDB.
 * @throws {MillraceError} INVALID_SQL for what is none
 */
function secondsOfInterval(text: string): string {
  if (text.length > TEXT_MAX) throw refused(text, NONE);
  const { months, microseconds } = sumOf(text);
  const [years, rest] = [months / SHARES / 12n, (months / SHARES) % 12n];
  const whole = years * YEAR + rest * MONTH + microseconds / SHARES;
  if (months % SHARES !== 0n || microseconds % SHARES !== 0n)
    throw refused(text, 'has a fraction that is no length of time');
  return `(${whole} / 1000000)`;
}

const DAY = BigInt(UNIT_LENGTHS.Day);
const YEAR = (DAY * 36_525n) / 100n;
const MONTH = DAY * 30n;

function sumOf(text: string): Sum {
  const [, ago] = /\s(ago)\s*$/i.exec(text) ?? [];
  const words = (ago ? text.replace(/\s+ago\s*$/i, '') : text).trim();
  const sum = /^[-+]?P/i.test(words) ? ofIso(words) : ofWords(words);
  return ago ? negative(sum) : sum;
}

const negative = ({ months, microseconds }: Sum): Sum => ({
  months: -months,
  microseconds: -microseconds,
});

function ofWords(text: string): Sum {
  const sum: Sum = { months: 0n, microseconds: 0n };
  const rest = text.replace(PIECE, (piece) => {
    add(sum, piece, text);
    return '';
  });
  if (!/^[\s,]*$/.test(rest) || text === '') throw refused(text, NONE);
  return sum;
}

const NONE = "is no length of time: INTERVAL '1 day', '2 hours 30 minutes', '02:30:00'";

function add(sum: Sum, piece: string, text: string): void {
  const clock = CLOCK.exec(piece.trim());
  if (clock) {
    const [, sign, hours = '', minutes = '', seconds = '0'] = clock;
    const length =
      shares(hours, UNIT_LENGTHS.Hour) +
      shares(minutes, UNIT_LENGTHS.Minute) +
      shares(seconds, UNIT_LENGTHS.Second);
    sum.microseconds += sign === '-' ? -length : length;
    return;
  }
  const [, number = '', unit = ''] = /^([-+]?[\d.]+)\s*([a-z]+)$/i.exec(piece.trim()) ?? [];
  addUnit(sum, number, unit, text);
}

function addUnit(sum: Sum, number: string, unit: string, text: string): void {
  const months = MONTHS.find(([form]) => form.test(unit))?.[1];
  const length = LENGTHS.find(([, form]) => form.test(unit))?.[2];
  if (months !== undefined) sum.months += shares(number, months);
  else if (length !== undefined) sum.microseconds += shares(number, length);
  else throw refused(text, NONE);
}

/** This many of a unit. */
function shares(number: string, unit: number): bigint {
  const [whole = '', fraction = ''] = number.replace(/^[-+]/, '').split('.');
  const digits = fraction.padEnd(TEXT_MAX, '0');
  const value = BigInt(whole + digits) * BigInt(unit);
  return number.startsWith('-') ? -value : value;
}

/** ISO 8601: `P1Y2M3DT4H5M6.5S`. */
function ofIso(text: string): Sum {
  const [, sign, days = '', times = ''] = /^([-+]?)P([^T]*)(?:T(.*))?$/i.exec(text) ?? [];
  const sum: Sum = { months: 0n, microseconds: 0n };
  const read = (list: string, isTime: boolean): string =>
    list.replace(/([-+]?[\d.]+)([YMWDHS])/gi, (_, number: string, letter: string) => {
      const unit = /m/i.test(letter) && !isTime ? 'month' : letter;
      addUnit(sum, number, unit, text);
      return '';
    });
  if (read(days, false) + read(times, true) !== '' || days + times === '')
    throw refused(text, NONE);
  return sign === '-' ? negative(sum) : sum;
}

const refused = (text: string, problem: string): MillraceError =>
  new MillraceError('INVALID_SQL', `${JSON.stringify(text.slice(0, 40))} ${problem}`);

const ONE_UNIT = /^\s*(\d{1,9})\s*([a-z]+)\s*$/i;

/** True for `5 minutes` and `5m`: a number of one unit. */
export function isLength(text: string): boolean {
  const [, , unit = ''] = ONE_UNIT.exec(text) ?? [];
  return LENGTHS.some(([, form]) => form.test(unit)) || MONTHS.some(([form]) => form.test(unit));
}

/**
 * Writes such a length as the engine's interval.
 * @throws {MillraceError} INVALID_SQL for another text
 */
export function writtenLength(text: string): string {
  const [, count = '', unit = ''] = ONE_UNIT.exec(text) ?? [];
  const name = LENGTHS.find(([, form]) => form.test(unit))?.[0];
  const months = MONTHS.find(([form]) => form.test(unit))?.[1];
  if (name !== undefined)
    return `toInterval${name.charAt(0)}${name.slice(1).toLowerCase()}(${count})`;
  if (months !== undefined) return `toIntervalMonth(${Number(count) * months})`;
  throw refused(text, NONE);
}

const UNIT = /^(?:(?:micro|milli)?second|minute|hour|day|week|month|quarter|year)s?$/i;

/**
 * `INTERVAL '1.5 hours'`, `INTERVAL '1.5' HOUR`, `INTERVAL 1.5 HOUR`; undefined for an interval
 * that the engine reads.
 */
export function intervalLiteral(nodes: Nodes, at: number): Rewritten | undefined {
  const [word, value, unit] = [nodes[at], nodes[at + 1], nodes[at + 2]];
  if (!isWord(word, 'INTERVAL') || (value?.kind !== 'text' && value?.kind !== 'number'))
    return undefined;
  const hasUnit = unit?.kind === 'word' && UNIT.test(unit.text);
  if (!hasUnit) {
    const isLeft = value.kind === 'number' || isPlainInterval(value.value);
    return isLeft ? undefined : { text: writtenInterval(value.value), end: at + 2 };
  }
  // The engine keeps the digits of `INTERVAL '10' MINUTE` as a text.
  const isFraction = /^\s*[-+]?\d*\.\d+\s*$/.test(value.value);
  const isText = value.kind === 'text' && /^\s*[-+]?\d+\s*$/.test(value.value);
  if ((!isFraction && !isText) || isWord(nodes[at + 3], 'TO')) return undefined;
  return { text: writtenInterval(`${value.value} ${unit.text}`), end: at + 3 };
}

/** The seconds of `'1 hour'`, `2 HOUR` and `'2' HOUR`, which stand behind INTERVAL. */
export function secondsOf([length, unit, more]: Nodes): string | undefined {
  if (more || (length?.kind !== 'text' && length?.kind !== 'number')) return undefined;
  if (!unit) return length.kind === 'text' ? secondsOfInterval(length.value) : undefined;
  return unit.kind === 'word' && UNIT.test(unit.text)
    ? secondsOfInterval(`${length.value} ${unit.text}`)
    : undefined;
}
