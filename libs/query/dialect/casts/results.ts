import {
  decimal,
  DECIMAL_DIGITS_MAX,
  FLOAT,
  isExact,
  isInteger,
  joined,
  OTHER,
  UNKNOWN,
  UNSIGNED,
  type Known,
} from './known-type.js';

const SUM_DIGITS = 38;

/** A literal is a decimal only if its digits are known. At this point the engine has already made a float of it. */
export const asFloat = (type: Known): Known => (type.kind === 'fraction' ? FLOAT : type);

export const columnLike = (type: Known): Known =>
  type.kind === 'literal' ? UNKNOWN : asFloat(type);

export function summed(type: Known): Known {
  if (type.kind === 'decimal')
    return decimal(type.precision > SUM_DIGITS ? DECIMAL_DIGITS_MAX : SUM_DIGITS, type.scale);
  return type.kind === 'count' || type.kind === 'literal' ? UNSIGNED : columnLike(type);
}

/** A remainder, or the bits of integers; of other numbers its type is not known here. */
export const remaining = (types: readonly Known[]): Known =>
  types.every(isInteger) ? columnLike(types.reduce((a, b) => joined('+', a, b))) : UNKNOWN;

export const rounded = (type: Known): Known =>
  type.kind === 'float' || isExact(type)
    ? columnLike(type)
    : type.kind === 'unknown'
      ? UNKNOWN
      : OTHER;
