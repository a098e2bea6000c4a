import { FLOAT, isExact, OTHER, rounded, UNKNOWN, type Known } from '../casts/known-type.js';
import type { Call } from '../operands.js';
import { itemAt, itemsOf, type Nodes } from '../source-tree.js';

/** The microseconds of a second. */
export const MICROSECONDS = 1_000_000;

/** The type of an INTERVAL, of which only the engine has values. */
export const LENGTH: Known = { ...UNKNOWN, isLength: true };

export const isNumberOfLength = ({ perSecond }: Known): boolean => perSecond !== undefined;

/** A mean of lengths of time is one, in the same unit. */
const lengthsOf = ({ perSecond }: Known): Pick<Known, 'perSecond'> =>
  perSecond === undefined ? {} : { perSecond };

const isNumber = (type: Known): boolean =>
  type.kind === 'float' || type.kind === 'unknown' || isExact(type);

/**
 * The type of a length of time that is computed of lengths and numbers: of the difference of two
 * times, which is a number, or of an INTERVAL. Undefined where the result is no length.
 */
export function typeOfLengths(operator: string, left: Known, right: Known): Known | undefined {
  const [a, b] = [left.perSecond, right.perSecond];
  const isSum = /^[-+]$/.test(operator);
  if (left.isLength && right.isLength) return isSum ? LENGTH : undefined;
  const perSecond = Math.max(a ?? 0, b ?? 0);
  const isFloat = operator === '/' || left.kind === 'float' || right.kind === 'float';
  const number = { ...(isFloat ? FLOAT : OTHER), perSecond };
  if (left.isLength || right.isLength) {
    if (perSecond > 0) return isSum ? number : undefined;
    const isMultiple = operator === '*' || (operator === '/' && left.isLength === true);
    return isMultiple && isNumber(left) && isNumber(right) ? LENGTH : undefined;
  }
  if (perSecond === 0 || (operator === '/' && b !== undefined)) return undefined;
  if (a !== undefined && b !== undefined) return isSum ? number : undefined;
  return isNumber(a === undefined ? left : right) ? number : undefined;
}

const ROUNDS = /^(?:round|floor|ceil|ceiling|trunc|truncate)$/i;
const MEANS = /^(?:avg(?:If)?|mean|median|percentile_cont|quantile_cont|approx_percentile|approx_percentile_cont)$/i; // prettier-ignore
/** Functions whose type is that of their values, or a float. */
const SPREADS = /^(?:quantile(?!s)|median|percentile_disc|approx_quantile|std)/i;

/** The type of a number that is rounded, of a mean and of a deviation; undefined for other functions. */
export function typeOfKept(name: string, typeOf: () => Known): Known | undefined {
  if (MEANS.test(name)) return { ...FLOAT, ...lengthsOf(typeOf()) };
  if (SPREADS.test(name)) return { ...UNKNOWN, ...lengthsOf(typeOf()) };
  if (!ROUNDS.test(name)) return undefined;
  const type = typeOf();
  return { ...rounded(type), ...lengthsOf(type) };
}

const LEVELS = /^(?:quantile(?!s)|median)/i;

/** The type of `quantile(0.95)(b - a)`. */
export const typeOfLevel = ({ name, more }: Call, typeOf: (nodes: Nodes) => Known): Known =>
  more && LEVELS.test(name)
    ? { ...UNKNOWN, ...lengthsOf(typeOf(itemAt(itemsOf(more.nodes), 0))) }
    : UNKNOWN;
