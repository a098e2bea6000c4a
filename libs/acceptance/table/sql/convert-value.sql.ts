import { certain } from '@app/platform';
import { EXACT_FLOAT, holds, writeValueType, type ValueType } from '@app/streams';
import { EXACT_FLOAT_DIGITS, textValue } from './plain-value.sql.js';

/** Tells how values go into a column. */
export interface Fitting {
  /** SQL of the value, of the column's type where it fits. */
  readonly value: string;
  /**
   * SQL that is true if the value fits, or NULL if there is no value; undefined: every value fits.
   */
  readonly fits: string | undefined;
}

type Of<Family extends ValueType['family']> = Extract<ValueType, { readonly family: Family }>;

/** The engine's dates: 1900-01-01 up to 2299-12-31, in days since 1970. */
const FIRST_DAY = -25_567;
const LAST_DAY = 120_529;
const SECONDS_A_DAY = 86_400;
const INT64_MAX = 2n ** 63n - 1n;
/** Floats of 32 bits hold all integers up to this one. */
const EXACT_FLOAT32 = 2 ** 24;

/**
 * Tells how a value of one type goes without loss into a column of another type, or of its own;
 * undefined if it does not go.
 * @param value SQL as `spoolType` has it, NULL or not
 */
export function convert(value: string, from: ValueType, to: ValueType): Fitting | undefined {
  switch (to.family) {
    case 'text':
      return intoText(value, from);
    case 'integer':
      return intoInteger(value, from, to);
    case 'float':
      return intoFloat(value, from, to);
    case 'decimal':
      return intoDecimal(value, from, to);
    case 'date':
      return from.family === 'date' ? intoDate(value) : undefined;
    case 'timestamp':
      return intoTimestamp(value, from, to);
    case 'time':
      return from.family === 'time' ? intoTime(value, from, to) : undefined;
    case 'binary':
      return from.family === 'binary' ? intoBinary(value, from, to) : undefined;
    case 'boolean':
    case 'uuid':
      return from.family === to.family ? { value, fits: undefined } : undefined;
  }
}

/**
 * A number of a source stays a number. But a column of text takes decimals, which such columns got
 * before there were columns of decimals.
 */
function intoText(value: string, from: ValueType): Fitting | undefined {
  if (from.family === 'text' || from.family === 'binary') return { value, fits: undefined };
  const text = textValue(value, from);
  return text === undefined ? undefined : { value: text, fits: undefined };
}

const cast = (value: string, to: ValueType): string => `CAST(${value}, 'Nullable(${escaped(to)})')`;
const castOrNull = (value: string, to: ValueType): string =>
  `accurateCastOrNull(${value}, '${escaped(to)}')`;
const escaped = (type: ValueType): string => writeValueType(type).replaceAll("'", "\\'");

/** Values of a fixed length fit if each of them has that length. */
function intoBinary(value: string, from: Of<'binary'>, to: Of<'binary'>): Fitting {
  if (holds(to, from)) return { value: cast(value, to), fits: undefined };
  const fits = `isNull(${value}) OR length(base64Decode(assumeNotNull(${value}))) = ${to.bytes}`;
  return { value: cast(`if(${fits}, ${value}, NULL)`, to), fits };
}

function intoInteger(value: string, from: ValueType, to: Of<'integer'>): Fitting | undefined {
  const narrowed = castOrNull(value, to);
  switch (from.family) {
    case 'integer':
      if (isSame(from, to)) return { value, fits: undefined };
      if (holds(to, from)) return { value: cast(value, to), fits: undefined };
      return { value: narrowed, fits: `isNull(${value}) OR isNotNull(${narrowed})` };
    case 'float': {
      const whole = `${value} = floor(${value}) AND abs(${value}) <= ${EXACT_FLOAT}`;
      return { value: narrowed, fits: `isNull(${value}) OR ${whole} AND isNotNull(${narrowed})` };
    }
    case 'decimal': {
      // A decimal's text reads as an integer exactly when it has no fraction.
      const whole = `to${writeValueType(to)}OrNull(toString(${value}))`;
      return { value: whole, fits: `isNull(${value}) OR isNotNull(${whole})` };
    }
    default:
      return undefined;
  }
}

function intoFloat(value: string, from: ValueType, to: Of<'float'>): Fitting | undefined {
  switch (from.family) {
    case 'float':
      if (isSame(from, to)) return { value, fits: undefined };
      if (to.bits === 64) return { value: cast(value, to), fits: undefined };
      return {
        value: castOrNull(value, to),
        fits: `isNull(${value}) OR isNotNull(${castOrNull(value, to)})`,
      };
    case 'integer': {
      if (holds(to, from)) return { value: cast(value, to), fits: undefined };
      const most = to.bits === 64 ? EXACT_FLOAT : EXACT_FLOAT32;
      return { value: cast(value, to), fits: `${value} BETWEEN -${most} AND ${most}` };
    }
    case 'decimal': {
      if (to.bits === 32) return undefined;
      if (from.precision <= EXACT_FLOAT_DIGITS) return { value: cast(value, to), fits: undefined };
      const digits = `replaceRegexpAll(toString(${value}), '^-?(0\\\\.0*)?|\\\\.', '')`;
      return {
        value: `toFloat64OrNull(toString(${value}))`,
        fits: `length(${digits}) <= ${EXACT_FLOAT_DIGITS}`,
      };
    }
    default:
      return undefined;
  }
}

/** A file may have decimals of more digits than it says; the engine would keep them so. */
function intoDecimal(value: string, from: ValueType, to: Of<'decimal'>): Fitting | undefined {
  if (from.family !== 'decimal' && from.family !== 'integer') return undefined;
  if (isSame(from, to)) return { value, fits: withinDigits(value, to) };
  const within = from.family === 'decimal' ? withinDigits(value, from) : undefined;
  const read = castOrNull(`toString(${value})`, to);
  if (holds(to, from)) return { value: read, fits: within };
  const { precision, scale } = to;
  const whole = precision > scale ? `(0|[0-9]{1,${precision - scale}})` : '0';
  const fraction = scale > 0 ? `(\\\\.[0-9]{1,${scale}})?` : '';
  const written = `match(toString(${value}), '^-?${whole}${fraction}$')`;
  return { value: read, fits: written };
}

function withinDigits(value: string, type: Of<'decimal'>): string {
  const digits = '9'.repeat(type.precision);
  const most = `${digits.slice(0, type.precision - type.scale)}.${digits.slice(0, type.scale)}`;
  const bound = (sign: string): string =>
    `CAST('${sign}${most.replace(/^\./, '0.').replace(/\.$/, '')}', '${writeValueType(type)}')`;
  return `${value} BETWEEN ${bound('-')} AND ${bound('')}`;
}

const intoDate = (value: string): Fitting => ({
  value: `CAST(${value}, 'Nullable(Date32)')`,
  fits: `${value} BETWEEN ${FIRST_DAY} AND ${LAST_DAY}`,
});

/** A local time is no moment, and a moment is no local time. */
function intoTimestamp(value: string, from: ValueType, to: Of<'timestamp'>): Fitting | undefined {
  const range = rangeOf(to.digits);
  if (from.family === 'date') {
    const ticks = tickOf(to.digits) * BigInt(SECONDS_A_DAY);
    return {
      value: timestamp(`toInt64(${value}) * ${ticks}`, to),
      fits: within(value, scaled(range, ticks)),
    };
  }
  if (from.family !== 'timestamp' || from.isUtc !== to.isUtc) return undefined;
  const { ticks, fits } = inDigits(value, from.digits, to.digits, range);
  return { value: timestamp(ticks, to), fits };
}

function intoTime(value: string, from: Of<'time'>, to: Of<'time'>): Fitting {
  const most = tickOf(to.digits) * BigInt(SECONDS_A_DAY) - 1n;
  const { ticks, fits } = inDigits(value, from.digits, to.digits, [0n, most]);
  const time = `toTime64(${moment(ticks, to.digits)}, ${to.digits})`;
  return { value: cast(time, to), fits };
}

type Range = readonly [bigint, bigint];

/** Ticks of another unit fit if each is a whole number in that unit. */
function inDigits(
  value: string,
  from: number,
  to: number,
  range: Range,
): { readonly ticks: string; readonly fits: string } {
  if (from <= to) {
    const factor = tickOf(to - from);
    return {
      ticks: factor === 1n ? value : `${value} * ${factor}`,
      fits: within(value, scaled(range, factor)),
    };
  }
  const factor = tickOf(from - to);
  return {
    ticks: `intDiv(${value}, ${factor})`,
    fits: `${value} % ${factor} = 0 AND intDiv(${value}, ${factor}) BETWEEN ${range[0]} AND ${range[1]}`,
  };
}

const within = (value: string, [low, high]: Range): string => `${value} BETWEEN ${low} AND ${high}`;

/** The range in units of so many ticks; both ends go towards zero, and so are within. */
const scaled = ([low, high]: Range, factor: bigint): Range => [low / factor, high / factor];

const tickOf = (digits: number): bigint => 10n ** BigInt(digits);

/** Ticks since 1970 of times that the engine has: 1900 to 2299, or as far as 64 bits go. */
function rangeOf(digits: number): Range {
  const second = tickOf(digits);
  const last = BigInt((LAST_DAY + 1) * SECONDS_A_DAY) * second - 1n;
  return [BigInt(FIRST_DAY * SECONDS_A_DAY) * second, last < INT64_MAX ? last : INT64_MAX];
}

const UNITS: Readonly<Record<number, string>> = { 0: 'Second', 3: 'Milli', 6: 'Micro', 9: 'Nano' };

const moment = (ticks: string, digits: number): string =>
  `fromUnixTimestamp64${certain(UNITS[digits], `unit of ${digits} digits`)}(toInt64(${ticks}), 'UTC')`;

const timestamp = (ticks: string, to: Of<'timestamp'>): string =>
  cast(moment(ticks, to.digits), to);

const isSame = (a: ValueType, b: ValueType): boolean => writeValueType(a) === writeValueType(b);
