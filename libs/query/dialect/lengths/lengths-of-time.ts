import { MillraceError } from '@app/platform';
import { FLOAT, type Known } from '../casts/known-type.js';
import type { Side } from '../numbers/decimal-arithmetic.js';
import { callAt, operandEnd, signedOperandEnd } from '../operands.js';
import { isList, isSymbol, itemsOf, type Nodes } from '../source-tree.js';
import { fn, type ScalarFunction } from '../functions/scalar-function.js';
import { UNIT_LENGTHS } from './unit-lengths.js';

const NUMBER = /^-?\s*\d+(\.\d*)?(?:e[-+]?\d+)?$/i;

const isFraction = (x: string): boolean => NUMBER.test(x) && !Number.isInteger(Number(x));

/** Writes the interval of so many microseconds, rounded to the nearest one. */
const rounded = (microseconds: string): string =>
  `toIntervalMicrosecond(toInt64(round(${microseconds})))`;

/** Writes an interval of whole units, because the engine would ignore the fraction of a number. */
const whole = (unit: string): ScalarFunction =>
  fn(1, 1, (x) => {
    if (!isFraction(x)) return `toInterval${unit}(${x})`;
    throw new MillraceError('INVALID_SQL', `to_${unit.toLowerCase()}s counts whole ones, not ${x}; to_seconds and to_milliseconds take fractions`); // prettier-ignore
  });

/** Writes a unit with its fractions. */
const fractional = (unit: 'Second' | 'Millisecond'): ScalarFunction =>
  fn(1, 1, (x) =>
    /^-?\s*\d+$/.test(x) ? `toInterval${unit}(${x})` : rounded(`(${x}) * ${UNIT_LENGTHS[unit]}`),
  );

/**
 * Units whose fractions are a number of microseconds. A fraction of a year or a month has no fixed
 * length, and the shortest units have none.
 */
const LENGTHS: Readonly<Record<string, number | undefined>> = {
  Year: undefined,
  Quarter: undefined,
  Month: undefined,
  ...UNIT_LENGTHS,
  Microsecond: undefined,
  Nanosecond: undefined,
};

/** The engine's own function would ignore the fraction of a number. */
const INTERVALS = Object.entries(LENGTHS).map(
  ([unit, length]) => [`tointerval${unit.toLowerCase()}`, fn(1, 1, exact(unit, length))] as const,
);

function exact(unit: string, length: number | undefined): (x: string) => string {
  return (x) => {
    if (!isFraction(x)) return `toInterval${unit}(${x})`;
    if (length !== undefined) return rounded(`(${x}) * ${length}`);
    throw new MillraceError('INVALID_SQL', `${x} of a ${unit.toLowerCase()} is no length of time: write whole ones, or a shorter unit`); // prettier-ignore
  };
}

/**
 * DuckDB's functions, by name in lower case. `to_days` means something else in the engine, as in
 * MySQL.
 */
export const LENGTHS_OF_TIME: Readonly<Record<string, ScalarFunction>> = {
  to_years: whole('Year'),
  to_months: whole('Month'),
  to_weeks: whole('Week'),
  to_hours: whole('Hour'),
  to_minutes: whole('Minute'),
  to_seconds: fractional('Second'),
  to_milliseconds: fractional('Millisecond'),
  to_microseconds: whole('Microsecond'),
  ...Object.fromEntries(INTERVALS),
};

const MICROSECONDS: Readonly<Record<string, number | undefined>> = {
  ...Object.fromEntries(
    Object.entries(LENGTHS).map(([unit, length]) => [`tointerval${unit.toLowerCase()}`, length]),
  ),
  to_weeks: UNIT_LENGTHS.Week,
  to_hours: UNIT_LENGTHS.Hour,
  to_minutes: UNIT_LENGTHS.Minute,
  to_years: undefined,
  to_months: undefined,
  to_microseconds: undefined,
};

/**
 * Writes an interval for numbers that may have fractions, such as columns of floats and decimals.
 * @param name in lower case
 * @throws {MillraceError} INVALID_SQL if a fraction of the unit has no fixed length
 */
export function fractionsOfTime(
  name: string,
  { kind, scale }: Known,
  [x = '']: readonly string[],
): string | undefined {
  const hasFractions = kind === 'float' || (kind === 'decimal' && scale > 0);
  if (!hasFractions || NUMBER.test(x) || !Object.hasOwn(MICROSECONDS, name)) return undefined;
  const microseconds = MICROSECONDS[name];
  if (microseconds !== undefined) return rounded(`(${x}) * ${microseconds}`);
  throw new MillraceError('INVALID_SQL', `${name} counts whole ones, and this may have fractions: CAST it to BIGINT, or round it`); // prettier-ignore
}

/**
 * `n * INTERVAL '1 day'` and `n * INTERVAL '1 month 1 day'`, which the engine does not know.
 * @returns undefined if the second is no interval
 */
export function multipliedInterval(factor: Side, interval: Side): string | undefined {
  const units = unitsOf(interval.nodes);
  if (units.length === 0) return multipliedUnit(factor, interval);
  const multiplied = units.map(({ nodes, written }) => multipliedUnit(factor, { ...interval, nodes, written })); // prettier-ignore
  return multiplied.includes(undefined) ? undefined : `(${multiplied.join(', ')})`;
}

/** `INTERVAL '1 hour' / 2`, of which the engine would make a number. */
export function dividedInterval(interval: Side, divisor: Side): string | undefined {
  const factor = `(1 / (${divisor.written}))`;
  return multipliedInterval({ ...divisor, type: FLOAT, written: factor }, interval);
}

/** The intervals of months, and of what has a fixed length, which the engine prints as a tuple. */
function unitsOf(nodes: Nodes): readonly { readonly nodes: Nodes; readonly written: string }[] {
  const [only, more] = nodes;
  if (!isList(only) || more) return [];
  const items = itemsOf(only.nodes);
  if (items.length < 2) return unitsOf(only.nodes);
  const units = items.map((item) => {
    const call = callAt(item, 0);
    const count = call?.list.nodes.map(({ text }) => text).join('') ?? '';
    return { nodes: item, written: /^-?\d+$/.test(count) ? `${call?.name ?? ''}(${count})` : '' };
  });
  return units.some(({ written }) => written === '') ? [] : units;
}

/**
 * A length of time: its number, and the microseconds of its unit, which months do not have;
 * undefined for anything else, and for months and days together.
 */
export function lengthOf({
  nodes,
  written,
}: Side): { readonly count: string; readonly microseconds: number | undefined } | undefined {
  const [, open = '', unit = '', rest = ''] = INTERVAL.exec(written) ?? [];
  if (unit === '' || !isInterval(nodes)) return undefined;
  const microseconds = unit === 'Microsecond' ? 1 : LENGTHS[unit];
  return { count: rest.slice(0, rest.length - open.length - 1), microseconds };
}

function multipliedUnit(factor: Side, interval: Side): string | undefined {
  const [, open = '', unit = '', rest = ''] = INTERVAL.exec(interval.written) ?? [];
  if (unit === '' || !isInterval(interval.nodes)) return undefined;
  const count = rest.slice(0, rest.length - open.length - 1);
  const number = `(${factor.written}) * (${count})`;
  const length = LENGTHS[unit];
  const isWhole = /^(?:signed|unsigned|count|literal)$/.test(factor.type.kind);
  const [, over, divisor] = DIVISION.exec(factor.written) ?? [];
  const times = divisor === undefined ? Number(factor.written) : Number(over) / Number(divisor);
  if (length === undefined && !Number.isInteger(times * Number(count)) && Number.isFinite(times * Number(count))) // prettier-ignore
    throw new MillraceError('INVALID_SQL', `a fraction of a ${unit.toLowerCase()} is no length of time: write days, INTERVAL '30 days' / 3`); // prettier-ignore
  // The engine cuts off the fraction of a decimal, and refuses that of a float.
  if (isWhole || length === undefined)
    return `toInterval${unit}(accurateCast(${isWhole ? number : `toFloat64(${number})`}, 'Nullable(Int64)'))`;
  return rounded(`${number} * ${length}`);
}

/** See {@link dividedInterval}. */
const DIVISION = /^\((1) \/ \((\d+(?:\.\d*)?)\)\)$/;
const INTERVAL = /^(\(*)toInterval(\w+)\(([^]*)$/;

/** True for a call that makes an interval, in brackets or without, and a multiple of one. */
function isInterval(nodes: Nodes): boolean {
  const [only, more] = nodes;
  if (isList(only) && more === undefined) return isInterval(only.nodes);
  const call = callAt(nodes, 0);
  if (call?.end === nodes.length) return /^toInterval/.test(call.name);
  const end = signedOperandEnd(nodes, 0) ?? 0;
  const [first, second] = [nodes.slice(0, end), nodes.slice(end + 1)];
  if (end === 0 || operandEnd(nodes, end + 1) !== nodes.length) return false;
  const isUnit = (operand: Nodes): boolean => unitsOf(operand).length === 0 && isInterval(operand);
  if (isSymbol(nodes[end], '/')) return isUnit(first);
  return isSymbol(nodes[end], '*') && (isUnit(first) || isUnit(second));
}

/**
 * Writes the engine's `age('day', from, to)`, the number of whole days.
 * @throws {MillraceError} INVALID_SQL for Postgres' form with two times: the engine has no value of
 *   months and days together.
 */
export function age(...args: string[]): string {
  if (args.length > 2) return `age(${args.join(', ')})`;
  throw new MillraceError('INVALID_SQL', "age(a, b) is not read: age('day', b, a), or 'month' and the like, counts the whole ones between, and a - b is seconds"); // prettier-ignore
}
