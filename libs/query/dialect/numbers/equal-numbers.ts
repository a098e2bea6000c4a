import { isExact, isInteger, type Known } from '../casts/known-type.js';
import { hasName } from '../source-tree.js';
import type { Side } from './decimal-arithmetic.js';
import { positiveZero } from './one-zero.js';

const EQUALITIES = /^(?:==?|<=>|IS DISTINCT FROM)$/;
/** The engine holds integers of fewer digits and floats in one type. */
const LONG_DIGITS = 10;
/** A float holds each integer of so many digits. */
const FLOAT_DIGITS = 15;
/** Stands for a float that is no integer. No integer of 64 bits is equal to it. */
const NO_INTEGER = "toInt128('-170141183460469231731687303715884105728')";

/**
 * `=`, `IS DISTINCT FROM` and the like between numbers for which the engine has no common type. It
 * wants one for keys of a join, and for what compares nulls.
 * @returns undefined if the engine compares the two
 */
export function equalNumbers(operator: string, left: Side, right: Side): string | undefined {
  if (!EQUALITIES.test(operator)) return undefined;
  const [a, b] = [left.written, right.written];
  if (isMixed(left.type, right.type)) return `toInt128(${a}) ${operator} ${b}`;
  const isKey = hasName(left.nodes) && hasName(right.nodes);
  // A constant beside `=` is no key, and the engine compares it exactly.
  if (!isKey && operator.startsWith('=')) return undefined;
  const isFloat = [left, right].some(({ type }) => type.kind === 'float');
  if (!isFloat) return undefined;
  const isOfLong = [left, right].some(({ type }) => isLong(type));
  const side = isOfLong ? integerOf : isKey ? keyOf : floatOf;
  return `${side(left)} ${operator} ${side(right)}`;
}

/** Floats of two integers may be equal: `9007199254740993 = 9007199254740992.0`. */
export const integerOf = ({ type, written }: Pick<Side, 'type' | 'written'>): string =>
  type.kind === 'float'
    ? `if(isNull(${written}), NULL, ifNull(accurateCastOrNull(${written}, 'Int128'), ${NO_INTEGER}))`
    : `toInt128(${written})`;

/** Tells whether one is a float, and the other an integer that a float may not hold. */
export const isFloatBesideLong = (a: Known, b: Known): boolean =>
  (a.kind === 'float' && isLong(b)) || (isLong(a) && b.kind === 'float');

const isLong = (type: Known): boolean => isInteger(type) && type.precision > FLOAT_DIGITS;

const floatOf = ({ type, written }: Side): string =>
  isWide(type) ? `toFloat64(${written})` : written;

/** Keys of a join are compared by their bytes, and those of 0.0 and -0.0 differ. */
const keyOf = (side: Side): string =>
  side.type.kind === 'float' ? positiveZero(side.written) : floatOf(side);

const isMixed = (left: Known, right: Known): boolean =>
  (left.kind === 'signed' && isUnsigned(right)) || (isUnsigned(left) && right.kind === 'signed');

const isUnsigned = ({ kind }: Known): boolean => kind === 'unsigned' || kind === 'count';

const isWide = (type: Known): boolean =>
  type.kind === 'decimal' ||
  (type.kind !== 'fraction' && isExact(type) && type.precision >= LONG_DIGITS);
