import { quoteText } from '@app/warehouse';
import type { Aggregate } from '../functions/aggregate-function.js';
import { DECIMAL_DIGITS_MAX, type Known } from '../casts/known-type.js';

/** The error for a sum beyond 64 bits. */
export const TOO_LARGE =
  'an integer of the statement leaves 64 bits; ask for a wider type, as in sum(CAST(x AS Decimal(38, 0))); sumWithOverflow(x) may wrap';
/** A sum of 10,000,000,000 decimals with so many digits fits into 128 bits. */
const SUMMED_DIGITS = 27;

export const within64Bits = (wide: string, kind: 'signed' | 'unsigned'): string =>
  `accurateCast(${wide}, 'Nullable(${kind === 'signed' ? 'Int64' : 'UInt64'})')`;

/**
 * A sum or an average without overflow: a sum beyond 64 bits is an error, and never another number.
 * @param args of the call, in the engine's SQL.
 * @returns undefined if the engine's own function does the same.
 */
export function exactSum(
  name: 'sum' | 'avg',
  { kind, precision, scale }: Known,
  aggregate: Aggregate,
  [x]: readonly string[],
): string | undefined {
  if (x === undefined) return undefined;
  if (kind === 'signed' || kind === 'unsigned' || kind === 'count') {
    const wide = aggregate(name, [`toInt128(${x})`]);
    return name === 'avg' ? wide : within64Bits(wide, kind === 'signed' ? kind : 'unsigned');
  }
  // The engine does not detect an overflow of 128 bits.
  if (kind === 'decimal' && precision > SUMMED_DIGITS)
    return aggregate(name, [`CAST(${x}, 'Decimal(${DECIMAL_DIGITS_MAX}, ${scale})')`]);
  if (kind !== 'unknown') return undefined;
  const of = (as: string): string => aggregate(as, [x]);
  return exactOfUnknown(name, of, (as) => aggregate(as, [`toFloat64(${x})`]));
}

/**
 * Does the same for values whose type is known only when the engine reads them.
 * @param of calls an aggregate of the values, and `ofFloats` of the values as floats.
 */
export function exactOfUnknown(
  name: 'sum' | 'avg',
  of: (name: string) => string,
  ofFloats: (name: string) => string,
): string {
  const plain = of(name);
  // `throwIf` reads the number that is stored under a null, so nulls are replaced.
  const total = of('sum');
  const isWhole = `(toTypeName(${total}) LIKE '%Int64%')`;
  if (name === 'avg') return `if(${isWhole}, ${ofFloats('avg')}, ${plain})`;
  const apart = `abs(${ofFloats('sum')} - toFloat64(${total}))`;
  return `(${plain} + throwIf(${isWhole} AND (ifNull(${apart}, 0) > 4611686018427387904), ${quoteText(TOO_LARGE)}))`;
}
