import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { readTime } from '../../plan/read-time.js';
import { checkMoment } from './casts-to-moment.js';
import { writtenTimeOfDay } from './casts-to-time.js';
import { clockArithmetic } from './clock-arithmetic.js';
import { dividedInterval, multipliedInterval } from '../lengths/lengths-of-time.js';
import { comparedLength, dividedLength, summedLength } from '../lengths/compared-lengths.js';
import { ZONED } from './times-of-clocks.js';
import type { Side } from '../numbers/decimal-arithmetic.js';
import type { Known } from '../casts/known-type.js';
import type { Rewritten } from '../notations/rewriting.js';
import { isWord, type Node, type Nodes } from '../source-tree.js';

/** A day as the engine reads it: any sign separates year, month and day, or none does. */
const DAY = /^\s*(\d{4})(?:\D(\d\d?)\D|(?=\d{4}$)(\d\d))(\d\d?)(?=$|[T\s])/i;
/** The engine compares such a text with a time without a conversion. */
const PLAIN = /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?$/;
/** The first year of the engine's dates. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2299;

/**
 * @throws {MillraceError} INVALID_SQL for a day that does not exist, which the engine would change
 *   to another day.
 */
function yearOf(text: string): number | undefined {
  const [, year, parted, close, day] = DAY.exec(text) ?? [];
  const month = parted ?? close;
  if (year === undefined) return undefined;
  const date = new Date(`${year}-01-01T00:00:00Z`);
  date.setUTCMonth(Number(month) - 1, Number(day));
  if (date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day))
    return Number(year);
  throw refused(text, 'day of the calendar');
}

const isOutside = (year: number): boolean => year < FIRST_YEAR || year > LAST_YEAR;

function refused(text: string, wanted: string): MillraceError {
  return new MillraceError('INVALID_SQL', `${JSON.stringify(text.slice(0, 40))} is no ${wanted}`);
}

/** @throws {MillraceError} INVALID_SQL for a day outside of a date's range. */
export function checkedDate(text: string): string {
  const year = yearOf(text);
  if (year !== undefined && isOutside(year)) throw refused(text, 'date of the years 1900 to 2299');
  return text;
}

const textOf = (nodes: Nodes): string | undefined => {
  const [only, more] = nodes;
  return only?.kind === 'text' && more === undefined ? only.value : undefined;
};

/**
 * Writes a text of ISO 8601 with T or a zone. Undefined for a text that the engine reads itself, or
 * that is no time.
 */
function momentOf(text: string): string | undefined {
  if (PLAIN.test(text)) return undefined;
  const time = readTime(ofDigits(text));
  if (time === undefined || /^-?\d{0,7}$/.test(text)) return undefined;
  return `toDateTime64(${quoteText(time)}, 6, 'UTC')`;
}

/** The placeholder of a text that is sent beside the statement. */
function givenText([only, more]: Nodes): string | undefined {
  if (only?.kind !== 'group' || only.text !== '{' || more) return undefined;
  const [name, , type] = only.nodes;
  return isWord(type, 'STRING') && only.nodes.length === 3 ? `{${name?.text ?? ''}:String}` : undefined; // prettier-ignore
}

const WITHOUT_SECONDS = /^\s*\d?\d:\d\d\s*$/;

/** Eight digits are a day, which the engine would take for seconds since 1970. */
const ofDigits = (text: string): string => text.trim().replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');

/**
 * Writes a text beside a time as that time: `_timestamp >= '2024-01-01T00:00:00Z'`.
 * @param beside the other side of the comparison.
 * @returns undefined if the engine reads the text itself.
 * @throws {MillraceError} INVALID_SQL
 */
export function timeBeside(beside: Known, nodes: Nodes): string | undefined {
  const text = textOf(nodes);
  const given = beside.kind === 'moment' ? givenText(nodes) : undefined;
  if (given !== undefined) return `parseDateTime64BestEffort(${given}, 6, 'UTC')`;
  // The engine would take 09:00 for nine minutes.
  if (text !== undefined && beside.kind === 'time')
    return WITHOUT_SECONDS.test(text) ? writtenTimeOfDay(text, 'Time64(6)') : undefined;
  if (text === undefined || (beside.kind !== 'moment' && beside.kind !== 'date')) return undefined;
  if (!/\d{4}/.test(text)) checkMoment(text);
  const year = yearOf(text);
  // The engine would change the date to the last one of its range.
  if (beside.kind === 'date' && year !== undefined && isOutside(year) && PLAIN.test(text))
    return `toDateTime64(${quoteText(text.length > DAY_LENGTH ? text : `${text} 00:00:00`)}, 6, 'UTC')`;
  return momentOf(text);
}

const DAY_LENGTH = 10;

/** Comparisons of a time with a text, and the days between two dates. */
export function withTimes(operator: string, left: Side, right: Side): string | undefined {
  if (operator === '*') return multipliedInterval(left, right) ?? multipliedInterval(right, left);
  const isDates = left.type.kind === 'date' && right.type.kind === 'date';
  if (operator === '/') return dividedLength(left, right) ?? dividedInterval(left, right);
  const clock = /^[-+]$/.test(operator) ? clockArithmetic(operator, left, right) : undefined;
  if (clock !== undefined) return clock;
  const sum = /^[-+]$/.test(operator) ? summedLength(operator, left, right) : undefined;
  if (sum !== undefined) return sum;
  if (operator === '-')
    return isDates
      ? `(toInt32(toDate32(${left.written})) - toInt32(toDate32(${right.written})))`
      : dayBesideTime(left, right);
  if (!/^(?:[<>=!]|IS)/.test(operator)) return undefined;
  const length = comparedLength(operator, left, right);
  if (length !== undefined) return length;
  const besideText = /^(?:IS|<=>)/.test(operator) ? timeOfText : () => undefined;
  const side = (own: Side, other: Side): string | undefined =>
    timeBeside(other.type, own.nodes) ?? besideText(other.type, own);
  const [a, b] = [side(left, right), side(right, left)];
  if (a === undefined && b === undefined) return undefined;
  return `${a ?? left.written} ${operator} ${b ?? right.written}`;
}

/** The seconds between a date, which is its midnight, and a time. */
function dayBesideTime(left: Side, right: Side): string | undefined {
  const kinds = [left.type.kind, right.type.kind];
  const isBoth = kinds.includes('date') && kinds.includes('moment');
  if (!isBoth) return undefined;
  const time = ({ type, written }: Side): string =>
    type.kind === 'date' ? `toDateTime64(${written}, 6, 'UTC')` : written;
  return `(${time(left)} - ${time(right)})`;
}

/** The engine reads a text beside a time in a comparison, but not in one that knows nulls. */
function timeOfText(beside: Known, { nodes }: Side): string | undefined {
  const text = beside.kind === 'moment' || beside.kind === 'date' ? textOf(nodes) : undefined;
  if (text === undefined) return undefined;
  const isDay = beside.kind === 'date' && text.length <= DAY_LENGTH;
  return isDay ? `toDate32(${quoteText(text)})` : `toDateTime64(${quoteText(text)}, 6, 'UTC')`;
}

const NARROW_YEARS = /^(?:19[7-9]|20\d|21[0-3])\d-/;

/** `DATE '1950-01-01'` is printed as `toDate('1950-01-01')`, whose range begins in 1970. */
export function dateLiteral([node]: Nodes): string | undefined {
  if (node?.kind !== 'text') return undefined;
  checkedDate(node.value);
  return NARROW_YEARS.test(node.value) ? undefined : `toDate32(${quoteText(node.value)})`;
}

/** `toDateTime('… .001')`: the engine's type has no fraction. */
export function timeLiteral([node]: readonly (Node | undefined)[]): string | undefined {
  if (node?.kind !== 'text') return undefined;
  yearOf(node.value);
  const moment = momentOf(node.value);
  if (moment !== undefined) return moment;
  return /\.\d+/.test(node.value) || !NARROW_YEARS.test(node.value)
    ? `toDateTime64(${quoteText(node.value)}, 6)`
    : undefined;
}

/**
 * `TIMESTAMP '…'`: a local time, unless it has a zone.
 * @param quoted as the author wrote it.
 * @param end the index behind it
 */
export function timestampLiteral(node: Node, quoted: string, end: number): Rewritten {
  if (node.kind === 'text') checkMoment(node.value);
  const isZoned = node.kind === 'text' && ZONED.test(node.value);
  return {
    text: (isZoned ? timeLiteral([node]) : undefined) ?? `toDateTime64(${quoted}, 6)`,
    end,
  };
}
