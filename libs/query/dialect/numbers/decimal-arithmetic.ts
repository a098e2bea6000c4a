import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { DECIMAL_DIGITS_MAX, isExact, isInteger, joined, type Known } from '../casts/known-type.js';
import { NUMBER } from '../../plan/bound-value.js';
import { constantOf, textOf } from './constants.js';
import type { Nodes } from '../source-tree.js';

/** One side of an operator. */
export interface Side {
  readonly type: Known;
  readonly nodes: Nodes;
  /** The number in the engine's SQL. */
  readonly written: string;
}

/** The digits of the engine's decimals, by their width. */
const CAPACITIES = [9, 18, 38, DECIMAL_DIGITS_MAX];
const TOO_LARGE = 'a decimal of the statement leaves 76 digits';

const capacity = (precision: number): number =>
  CAPACITIES.find((most) => precision <= most) ?? DECIMAL_DIGITS_MAX;
const isDecimal = ({ type }: Side): boolean => type.kind === 'decimal';

/**
 * Beside decimals, `0.05` and `(1 - 0.05)` are decimals, as in the standard. The engine has floats.
 */
export function decimalLiteral({ type, nodes, written }: Side): string {
  const constant = type.kind === 'fraction' ? constantOf(nodes) : undefined;
  return constant ? asDecimal(quoteText(textOf(constant)), type.precision, type.scale) : written;
}

const COMPARISON = /^(?:[<>=!]=?|<>|<=>|IS DISTINCT FROM)$/;

/**
 * Checks a text that is compared with a decimal: the engine takes `-` for 0 and `1.2.3` for 1.23.
 * @throws {MillraceError} INVALID_SQL if it is no number
 */
function checkNumber({ nodes: [only, more] }: Side): void {
  if (only?.kind !== 'text' || more !== undefined || NUMBER.test(only.value.trim())) return;
  throw new MillraceError('INVALID_SQL', `${quoteText(only.value)} is compared with a decimal, and is no number`); // prettier-ignore
}

/**
 * Writes an item of a list. Beside an integer, the engine would use only the digits before the
 * point of a decimal.
 */
export function besideNumber(beside: Known, side: Side): string {
  const { type, nodes, written } = side;
  if (beside.kind === 'decimal') {
    checkNumber(side);
    return decimalLiteral(side);
  }
  if (beside.kind === 'float' && isDecimal(side)) return `toFloat64(${written})`;
  if (!isInteger(beside)) return written;
  const constant = type.kind === 'fraction' ? constantOf(nodes) : undefined;
  if (constant) return textOf(constant);
  return isDecimal(side) && type.scale > 0 ? `toFloat64(${written})` : written;
}

const asDecimal = (text: string, precision: number, scale: number): string =>
  `CAST(${text}, 'Decimal(${Math.max(precision, scale, 1)}, ${scale})')`;

/**
 * `+`, `-`, `*`, `/`, `%` and comparisons of decimals. The engine computes in the width of its
 * operands, does not see when 128 bits overflow in a product, and cuts quotients to the digits of
 * the dividend: operands are as wide as the result may be, and quotients are floats.
 * @returns undefined if no side is a decimal, or the type of one is unknown.
 */
export function decimalArithmetic(operator: string, left: Side, right: Side): string | undefined {
  if (!isDecimal(left) && !isDecimal(right)) return undefined;
  if (COMPARISON.test(operator)) [left, right].forEach(checkNumber);
  const [a, b] = [decimalLiteral(left), decimalLiteral(right)];
  if (operator === '/') return isNumber(left) && isNumber(right) ? ofFloats(a, b) : undefined;
  if (!isExact(left.type) || !isExact(right.type)) return undefined;
  if (operator === '%') return remainder(left, right, [a, b]);
  if (!/^[-+*]$/.test(operator)) return compared(operator, left, right);
  const { precision, scale } = joined(operator, left.type, right.type);
  const widest = Math.max(...[left, right].filter(isDecimal).map((side) => side.type.precision));
  const needed = capacity(precision);
  const whole = left.type.precision + right.type.precision;
  if (operator === '*' && whole > DECIMAL_DIGITS_MAX) {
    const size = `abs(toFloat64(${a}) * toFloat64(${b}))`;
    // 256 bits hold more than five times as much as these digits.
    const isLarge = `throwIf(ifNull(${size} >= 5e${DECIMAL_DIGITS_MAX - scale}, 0), ${quoteText(TOO_LARGE)})`;
    return `if(${isLarge} = 0, ${wide(a, left, needed)} * ${b}, NULL)`;
  }
  if (needed <= capacity(widest)) return `${a} ${operator} ${b}`;
  return isDecimal(left)
    ? `${wide(a, left, needed)} ${operator} ${b}`
    : `${a} ${operator} ${wide(b, right, needed)}`;
}

/**
 * The engine brings both sides to the scale of the longer one, in the width of the wider one: what
 * does not fit is an error. So one side is as wide as the other's digits need; a constant, if
 * there is one, so that an index of the column still serves.
 */
function compared(operator: string, left: Side, right: Side): string {
  const [a, b] = [decimalLiteral(left), decimalLiteral(right)];
  const scale = Math.max(left.type.scale, right.type.scale);
  const whole = Math.max(...[left, right].map(({ type }) => type.precision - type.scale));
  const needed = capacity(Math.min(whole + scale, DECIMAL_DIGITS_MAX));
  const widest = Math.max(...[left, right].filter(isDecimal).map((side) => side.type.precision));
  if (needed <= capacity(widest)) return `${a} ${operator} ${b}`;
  return isDecimal(right)
    ? `${wide(a, left, needed)} ${operator} ${b}`
    : `${a} ${operator} ${wide(b, right, needed)}`;
}

const wide = (written: string, { type }: Side, precision: number): string =>
  asDecimal(written, precision, type.scale);

const isNumber = ({ type }: Side): boolean => type.kind === 'float' || isExact(type);

/** The quotient is a float, as in DuckDB. */
const ofFloats = (a: string, b: string): string => `toFloat64(${a}) / toFloat64(${b})`;

/** Writes a quotient. For a value that may be a decimal, the engine would cut the quotient to its digits. */
export function quotient(left: Side, right: Side): string {
  const isUnknown = [left, right].some(({ type }) => type.kind === 'unknown');
  const float = ({ type, written }: Side): string =>
    type.kind === 'unknown' ? `CAST(${written}, 'Nullable(Float64)')` : written;
  return isUnknown ? `${float(left)} / ${float(right)}` : `${left.written} / ${right.written}`;
}

/**
 * The engine's remainder is of whole numbers. Both sides get the digits of the longer one: the
 * dividend must not have fewer digits than the divisor.
 */
function remainder(left: Side, right: Side, [a, b]: readonly [string, string]): string {
  const scale = Math.max(left.type.scale, right.type.scale);
  const dividend = asDecimal(a, DECIMAL_DIGITS_MAX, scale);
  const divisor = asDecimal(b, DECIMAL_DIGITS_MAX, scale);
  const times = asDecimal(`truncate(${dividend} / ${divisor})`, DECIMAL_DIGITS_MAX, 0);
  return `(${dividend} - (${divisor} * ${times}))`;
}
