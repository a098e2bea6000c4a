import { certain } from '@app/platform';
import { castOf } from '../casts/casts.js';
import type { Known } from '../casts/known-type.js';
import type { ValueTypes } from '../casts/value-types.js';
import { isZero } from '../queries/membership.js';
import { decimalArithmetic, decimalLiteral } from '../numbers/decimal-arithmetic.js';
import { typeOfConstant } from '../numbers/exact-literals.js';
import { losesDigits } from '../numbers/float-digits.js';
import { roundedConstant } from '../numbers/rounded-constants.js';
import { roundedInteger } from '../numbers/rounded-integers.js';
import { timeOfDayNow } from '../names/session-words.js';
import { isWord, itemsOf, type Leaf, type Nodes } from '../source-tree.js';
import { dateLiteral, timeLiteral } from '../times/time-literals.js';
import { triedCast } from '../casts/tried-casts.js';
import { written } from './scalar-function.js';
import { countedValues } from './counted-values.js';
import { timeOfDifference } from '../lengths/time-differences.js';
import { computedRows } from '../clauses/computed-rows.js';

/** A call without a translation of its name alone. */
interface OtherCall {
  readonly name: string;
  /** The arguments, and the same in the engine's SQL. */
  readonly nodes: Nodes;
  readonly args: readonly string[];
  /** `OVER (…)`, or an empty text. */
  readonly over: string;
}

/** Writes a call whose translation depends on the types of its arguments, or on their text. */
export function otherCall(
  { name, nodes, args, over }: OtherCall,
  types: ValueTypes,
): string | undefined {
  const lower = name.toLowerCase();
  const items = itemsOf(nodes);
  const [value = [], second = []] = items;
  const [first, ...rest] = args;
  const source = { nodes: value, type: types.of(value), value: first ?? '' };
  const cast = (type: string): string | undefined => castOf(source, type);
  switch (items.length) {
    case 1:
      if (lower === 'count') return countedValues(nodes, args, over);
      // The engine's own begins in 1970.
      if (lower === 'date') return cast("'DATE'");
      // The engine's takes integers alone.
      if (lower === 'from_unixtime' && source.type.kind === 'float')
        return `toDateTime64(${first ?? ''}, 6, 'UTC')`;
      if (lower === 'todatetime') return timeLiteral(nodes);
      if (lower === 'todate') return dateLiteral(nodes);
      if (/^(?:current_timestamp|localtimestamp)$/.test(lower))
        return `now64(${args.join(', ')}, 'UTC')`;
      if (/^(?:current_time|localtime)$/.test(lower)) return timeOfDayNow(first);
      break;
    case 2:
      // DuckDB's and Postgres' function of AT TIME ZONE.
      if (lower === 'timezone') return `toTimeZone(${[...args].reverse().join(', ')})`;
      if (lower === 'cast') return cast(rest.join(', '));
      if (lower === 'try_cast') return triedCast(source, written(lower, rest.join(', ')));
      if (/^mod(?:ulo)?$/.test(lower)) {
        const [a = '', b = ''] = args;
        const left = { type: types.of(value), nodes: value, written: a };
        return decimalArithmetic('%', left, { type: types.of(second), nodes: second, written: b });
      }
      break;
    default:
  }
  // The engine's lists cannot be null.
  if (JSON_LISTS.test(name) && source.type.kind === 'text')
    return `${name}(${[`ifNull(${first ?? ''}, '')`, ...rest].join(', ')})`;
  const ofDifference = timeOfDifference(lower, source.type, args);
  if (ofDifference !== undefined) return ofDifference;
  const whole = items.length === 2 ? roundedInteger(name, source.type, second, args) : undefined;
  if (whole !== undefined) return whole;
  if (lower === 'casewithexpression') return caseOf(items, args, source.type);
  if (lower === 'round') return roundedConstant(value, second);
  // Without this, before the first row the engine returns the default value of a column without
  // nulls, and not null.
  const isNullOtherwise = items.length === 3 && rest[1] === 'NULL';
  const isWithoutDefault = items.length < 3 || isNullOtherwise;
  if (lower === 'nth_value' && over !== '')
    return `${name}(toNullable(${first ?? ''}), ${rest.join(', ')})${over}`;
  if (/^(?:lag|lead)$/.test(lower) && isWithoutDefault && first !== undefined && over !== '')
    return `${name}(${[`toNullable(${first})`, ...rest.slice(0, 1)].join(', ')})${over}`;
  if (lower === 'sqlstandardvalues')
    return computedRows(items, args) ?? `values(${rowsOf(items, args).join(', ')})${over}`;
  return undefined;
}

const JSON_LISTS = /^JSONExtract(?:ArrayRaw|Keys|KeysAndValues|KeysAndValuesRaw)$/;

/**
 * The rows of VALUES. The engine would read a text that comes first as the names and the types of
 * columns.
 */
function rowsOf(items: readonly Nodes[], args: readonly string[]): readonly string[] {
  const texts = items.map(textOf);
  if (texts[0]?.kind !== 'text' || texts.includes(undefined)) return args;
  const type = texts.some((text) => text?.kind === 'word') ? 'Nullable(String)' : 'String';
  return [`'c1 ${type}'`, ...texts.map((text) => text?.text ?? 'NULL')];
}

/** The text, or NULL, that a row of one column is. */
function textOf([only, more]: Nodes): Leaf | undefined {
  if (!only || more) return undefined;
  if (only.kind === 'group') return textOf(only.nodes);
  return only.kind === 'text' || isWord(only, 'NULL') ? only : undefined;
}

/**
 * `CASE x WHEN y`, which is not true where both are null; for the engine it is. And the engine tells
 * -0.0 from 0.0, and makes floats of numbers beside decimals.
 * @returns undefined if the engine does the same
 */
function caseOf(items: readonly Nodes[], args: readonly string[], type: Known): string | undefined {
  const whens = items.filter((_, at) => at % 2 === 1 && at < items.length - 1);
  const isOfZeros = type.kind === 'float' && whens.some(isZero);
  const isOfDecimals = type.kind === 'decimal' && whens.some(isLong);
  if (whens.every(isLiteral) && !isOfZeros && !isOfDecimals) return undefined;
  const [value = '', ...rest] = args;
  const beside = (at: number, arg: string): string =>
    isOfDecimals ? exactConstant(certain(items[at + 1], 'a value of CASE'), arg) : arg;
  const conditions = rest.map((arg, at) => (at % 2 === 0 && at < rest.length - 1 ? `(${value}) = (${beside(at, arg)})` : arg)); // prettier-ignore
  return `multiIf(${conditions.join(', ')})`;
}

const isLong = ([only, more]: Nodes): boolean =>
  more === undefined && losesDigits(only?.text ?? '');

const exactConstant = (nodes: Nodes, written: string): string => {
  const type = typeOfConstant(nodes);
  return type ? decimalLiteral({ type, nodes, written }) : written;
};

const isLiteral = ([only, more]: Nodes): boolean =>
  more === undefined && (only?.kind === 'text' || only?.kind === 'number' || isWord(only, 'TRUE') || isWord(only, 'FALSE')); // prettier-ignore
