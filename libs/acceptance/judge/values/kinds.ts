import { certain } from '@app/platform';

/**
 * Kinds of a field's value, as numbers that a loop over bytes compares: each is the index of its
 * name in {@link KIND_NAMES}, which has the names that the rules of column types know.
 */
export const NONE = 0;
export const BOOL = 1;
export const INT = 2;
export const UINT = 3;
export const FLOAT = 4;
export const TEXT = 5;
export const OBJECT = 6;
export const EMPTY_ARRAY = 7;
export const BOOLS = 8;
export const INTS = 9;
export const UINTS = 10;
export const FLOATS = 11;
export const TEXTS = 12;
export const OBJECTS = 13;
export const MIXED_ARRAY = 14;
/** Kinds of CSV's texts: days, times on a wall and moments, those with more than microseconds apart. */
export const DAY = 15;
export const WALL_TIME = 16;
export const WALL_NANOS = 17;
export const MOMENT = 18;
export const MOMENT_NANOS = 19;
/** A value of its column's own type: it was looked at, and it fits. */
export const OWN = 20;

export const KIND_NAMES = [
  'None',
  'Bool',
  'Int64',
  'UInt64',
  'Float64',
  'String',
  'JSON',
  'Array(Nothing)',
  'Array(Nullable(Bool))',
  'Array(Nullable(Int64))',
  'Array(Nullable(UInt64))',
  'Array(Nullable(Float64))',
  'Array(Nullable(String))',
  'Array(JSON)',
  'Array(Dynamic)',
  'Date32',
  'DateTime64(6)',
  'DateTime64(9)',
  "DateTime64(6, 'UTC')",
  "DateTime64(9, 'UTC')",
  'own',
] as const;

export const KINDS = KIND_NAMES.length;

export const nameOfKind = (kind: number): (typeof KIND_NAMES)[number] =>
  certain(KIND_NAMES[kind], `kind ${kind}`);

/** Tells whether values of the kind say anything about the type of a column. */
export const isSilent = (kind: number): boolean => kind === NONE || kind === EMPTY_ARRAY;

/** Facts about a value beside its kind, and about the elements of an array, as bits. */
export const NEGATIVE = 1;
/** An integer that floats do not have. */
export const BEYOND_FLOAT = 2;
/** The same integer in integer notation: as a float it would be another number. */
export const LONG_INTEGER = 4;
/** An integer that is written with a fraction or an exponent (`1.0`), or as `-0`. */
export const ODDLY_WRITTEN = 8;
/** An array with a null. */
export const HAS_NULL = 16;
/** A column of objects would change the value: see `nesting-marks.ts`. */
export const CHANGED_IN_OBJECTS = 32;
/** A column of arrays of several kinds would change the value, or could not be read from again. */
export const CHANGED_IN_MIXED_ARRAYS = 64;
/**
 * An array within an array has a fraction. The engine reads all arrays within an array by one type.
 */
export const FRACTIONS_WITHIN = 128;
/** An array within an array has an integer that is not in Int64. */
export const UNSIGNED_WITHIN = 256;
/** An array within an array has only nulls. */
export const NULLS_WITHIN = 512;

const bit = (kind: number): number => 1 << kind;

/** The kind of an array whose elements have these kinds, one bit for each. */
export function kindOfArray(elements: number): number {
  const values = elements & ~bit(NONE);
  if (values === 0) return EMPTY_ARRAY;
  if (values === bit(TEXT)) return TEXTS;
  if (values === bit(INT)) return INTS;
  if ((values & ~(bit(INT) | bit(UINT))) === 0) return UINTS;
  if ((values & ~(bit(INT) | bit(UINT) | bit(FLOAT))) === 0) return FLOATS;
  if (values === bit(BOOL)) return BOOLS;
  // A null among objects would become an object.
  return elements === bit(OBJECT) ? OBJECTS : MIXED_ARRAY;
}
