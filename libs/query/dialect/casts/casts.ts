import { MillraceError } from '@app/platform';
import { quoteText, withoutNull } from '@app/warehouse';
import { readType } from '../../guard/arguments/read-type.js';
import { existingDay } from '../times/existing-day.js';
import { decimalLiteral } from '../numbers/decimal-arithmetic.js';
import { DECIMAL_DIGITS_MAX, hasType, isExact, isInteger, type Known } from './known-type.js';
import type { Nodes } from '../source-tree.js';
import { checkedDate } from '../times/time-literals.js';
import { checkMoment, isMoment, NO_MOMENT_OF_TEXT } from '../times/casts-to-moment.js';
import { timeOfDay, writtenTimeOfDay } from '../times/casts-to-time.js';
import { isWideInteger, wideInteger } from './wide-integers.js';
import { withoutBlanks } from './surrounding-blanks.js';
import { castToDecimal, wideFloat } from './casts-to-decimal.js';
import { nestedCast } from './nested-casts.js';
import { castType, engineType, TEXT_TYPE } from './standard-type-names.js';

/** The value that is cast. */
interface Source {
  readonly nodes: Nodes;
  readonly type: Known;
  /** The value in the engine's SQL. */
  readonly value: string;
}

/** Types of single values that are parsed from a text. */
const SCALAR_TYPE =
  /^(?:U?Int\d+|Float\d+|Decimal|Date|DateTime|Time|UUID|IPv|Bool(?:ean)?|(?:TINY|SMALL|MEDIUM|BIG)?INT|INTEGER|REAL|DOUBLE|FLOAT|DEC|NUMERIC)(?![a-z])/i;
const NESTED_TYPE = /^(?:Array|Tuple|Map)\(/;
const NUMBERS = /^(?:signed|unsigned|count|literal|fraction|decimal|float)$/;
const LENGTH_OF_TIME = /^\(*toInterval/;

/**
 * `CAST(value, 'type')` by the rules of the standard: a value that does not fit into the type is an
 * error and never becomes another value, fractions are rounded, and an invalid text does not become
 * null.
 * @param type as it was written, quoted.
 * @returns undefined if the engine's own cast does the same.
 */
export function castOf(source: Source, written: string): string | undefined {
  const name = /^'([^'\\]*)'$/.exec(written)?.[1];
  if (name === undefined) return undefined;
  const { nodes, type, value } = readsBlanks(engineType(name)) ? withoutBlanks(source) : source;
  const literal = decimalLiteral({ type, nodes, written: value });
  if (literal !== value)
    return castOf({ nodes: [], type: { ...type, kind: 'decimal' }, value: literal }, written);
  const target = engineType(name);
  const [, within] = /^Nullable\((.*)\)$/.exec(target) ?? [];
  if (within !== undefined && value !== 'NULL') {
    const own = castOf({ nodes, type, value }, quoteText(within));
    if (own === undefined) return undefined;
    return NESTED_TYPE.test(within) ? `if(isNull(${value}), NULL, ${own})` : `toNullable(${own})`;
  }
  if (/^\w+$/.test(target) && readType(target) === undefined) throw noType(name);
  const cast = `CAST(${value}, ${quoteText(target)})`;
  const plain = target === name ? undefined : cast;
  if (TEXT_TYPE.test(target) && LENGTH_OF_TIME.test(value))
    throw new MillraceError('INVALID_SQL', 'a length of time has no text here: add it to a time, or EXTRACT(EPOCH FROM INTERVAL …) its seconds'); // prettier-ignore
  // A decimal whose type has no fraction is left to the cast: `toDecimalString` would keep the
  // point.
  if (TEXT_TYPE.test(target) && type.kind === 'decimal' && type.scale > 0)
    return `toDecimalString(${value}, ${type.scale})`;
  if (NESTED_TYPE.test(target)) return nestedCast(nestedOf(nodes, type, value), target, castWithin) ?? plain; // prettier-ignore
  if (!SCALAR_TYPE.test(target)) return plain;
  const to = castType(name);
  if (isInteger(to) || isWideInteger(target))
    return integerOf(type, value, target) ?? readable(type, value, cast, target) ?? plain;
  if (to.kind === 'decimal') return decimalOf(type, value, to, target);
  if (to.kind === 'date' && NUMBERS.test(type.kind)) {
    const problem =
      'a number is no date; to_timestamp(n) reads seconds, make_date(y, m, d) its parts';
    throw new MillraceError('INVALID_SQL', problem);
  }
  const [only, more] = nodes;
  const isWritten = only?.kind === 'text' && more === undefined;
  if (to.kind === 'time' && isText(type))
    return isWritten ? writtenTimeOfDay(only.value, target) : timeOfDay(value, type, target);
  if (to.kind === 'date' && isWritten)
    return `CAST(${quoteText(checkedDate(only.value.trim()))}, 'Date32')`;
  if (to.kind === 'date' && isText(type)) {
    const read = readable(type, value, cast, target) ?? cast;
    return thrownIf(`NOT ${existingDay(value, cast)}`, NO_DATE, read);
  }
  const read = readable(type, value, cast, target) ?? plain;
  if (to.kind !== 'moment' || !isText(type) || value === 'NULL') return read;
  if (isWritten) checkMoment(only.value);
  return isWritten
    ? read
    : thrownIf(`NOT ${isMoment(value, type)}`, NO_MOMENT_OF_TEXT, read ?? cast);
}

/** True for types of which a text may begin and end with blanks. */
const readsBlanks = (target: string): boolean => SCALAR_TYPE.test(withoutNull(target));

const castWithin = (value: string, type: Known, target: string): string | undefined =>
  castOf({ nodes: [], type, value }, quoteText(target));

function nestedOf([only, more]: Nodes, type: Known, value: string) {
  const isLiteral = only?.kind === 'text' && more === undefined;
  return { type, value, literal: isLiteral ? only.value : undefined };
}

const noType = (name: string): MillraceError =>
  new MillraceError('INVALID_SQL', `there is no type ${name}: INTEGER, BIGINT, DECIMAL(10, 2), DOUBLE, VARCHAR, BOOLEAN, DATE, TIMESTAMP, UUID, INTEGER[] and the like`); // prettier-ignore

const NO_DATE = 'a text is no date of the years 1900 to 2299';

const isText = ({ kind }: Known): boolean => kind === 'text' || kind === 'unknown';

/** An invalid text is an error. The engine would make it null if the value is nullable. */
function readable(type: Known, value: string, cast: string, target: string): string | undefined {
  if (!isText(type)) return undefined;
  return thrownIf(`isNull(${cast}) AND isNotNull(${value})`, unreadable(target), cast);
}

const unreadable = (target: string): string =>
  `a text cannot be read as ${target}; TRY_CAST answers null for such`;

const thrownIf = (condition: string, problem: string, value: string, other = 'NULL'): string =>
  `if(throwIf(${condition}, ${quoteText(problem)}) = 0, ${value}, ${other})`;

/**
 * A number, or an error. Where both results of `if` were the constant NULL, which `'x'` is as a
 * number, the engine would not look at the condition.
 */
const numberUnless = (condition: string, target: string, value: string): string =>
  thrownIf(condition, unfit(target), value, `CAST(0, ${quoteText(`Nullable(${target})`)})`);

/** Writes the cast of a number to an integer. Undefined if the value is no number. */
function integerOf(type: Known, value: string, target: string): string | undefined {
  const nullable = quoteText(`Nullable(${target})`);
  const wide = isWideInteger(target) ? wideInteger(value, type, target) : undefined;
  if (wide) return numberUnless(wide.isNone, target, wide.value);
  if (isInteger(type)) return `accurateCast(${value}, ${nullable})`;
  if (type.kind === 'float' || type.kind === 'fraction' || type.kind === 'decimal')
    return `accurateCast(round(${value}), ${nullable})`;
  if (!isText(type)) return undefined;
  const exact = `accurateCastOrNull(${value}, ${quoteText(target)})`;
  const is = (names: string): string => hasType(value, names);
  const whole =
    type.kind === 'text'
      ? exact
      : `multiIf(${is('Dynamic|Variant|JSON')}, CAST(${value}, ${nullable}), ${is('Float')}, accurateCastOrNull(round(${wideFloat(value)}), ${quoteText(target)}), ${is('Decimal')}, accurateCastOrNull(round(accurateCastOrNull(${value}, 'Decimal(76, 20)')), ${quoteText(target)}), ${exact})`;
  return numberUnless(`isNull(${whole}) AND isNotNull(${value})`, target, whole);
}

const unfit = (target: string): string =>
  `a value cannot be read as ${target}, or is beyond it; TRY_CAST answers null for such`;

/**
 * The engine cuts digits off, and keeps more digits than the type allows if they fit into its bits.
 */
function decimalOf(type: Known, value: string, to: Known, target: string): string | undefined {
  const { precision, scale } = to;
  const whole = precision - scale;
  const isNarrower = isExact(type) && type.precision - type.scale <= whole;
  const isWhole = isExact(type) && type.scale <= scale;
  const cast = (from: string): string => `CAST(${from}, ${quoteText(target)})`;
  if (isWhole && isNarrower) return cast(value);
  if (!isExact(type) && type.kind !== 'float' && !isText(type)) return cast(value);
  const digits = Math.min(scale + 1, DECIMAL_DIGITS_MAX - 1);
  const decimal = quoteText(`Nullable(Decimal(${DECIMAL_DIGITS_MAX}, ${digits}))`);
  const read = castToDecimal(type, value, to, (from) => `CAST(${from}, ${decimal})`);
  const rounded = isWhole ? value : `round(${isExact(type) ? value : read}, ${scale})`;
  const limit = `toDecimal256('1${'0'.repeat(whole)}', 0)`;
  const isLost = isExact(type) ? '' : ` OR (isNull(${read}) AND isNotNull(${value}))`;
  return numberUnless(`ifNull(abs(${rounded}) >= ${limit}, 0)${isLost}`, target, cast(rounded));
}
