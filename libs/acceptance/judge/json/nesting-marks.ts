import {
  BOOLS,
  CHANGED_IN_MIXED_ARRAYS,
  CHANGED_IN_OBJECTS,
  EMPTY_ARRAY,
  FLOAT,
  FLOATS,
  FRACTIONS_WITHIN,
  INT,
  INTS,
  LONG_INTEGER,
  MIXED_ARRAY,
  NEGATIVE,
  NONE,
  NULLS_WITHIN,
  OBJECT,
  OBJECTS,
  ODDLY_WRITTEN,
  TEXTS,
  UINT,
  UINTS,
  UNSIGNED_WITHIN,
} from '../values/kinds.js';

// Values that the engine would change within objects and arrays. Each was found by writing and
// reading them back: `test/fixtures/lines-outcomes.ts` lists them.

/**
 * In an array of several kinds the engine keeps an object as a tuple. With more names than this, an
 * insert takes seconds.
 */
const TUPLE_NAMES_MAX = 256;
const [DOT, PERCENT, BACKSLASH, LOWER_U] = [0x2e, 0x25, 0x5c, 0x75];

/** The text's four bytes. */
const NULL = Buffer.from('null').readUInt32LE();

const bits = (...kinds: readonly number[]): number =>
  kinds.reduce((mask, kind) => mask | (1 << kind), 0);
const NESTED = bits(OBJECT, EMPTY_ARRAY, BOOLS, INTS, UINTS, FLOATS, TEXTS, OBJECTS, MIXED_ARRAY);
const ARRAYS = NESTED & ~(1 << OBJECT);
const NESTED_TWICE = bits(OBJECTS, MIXED_ARRAY);
const INTEGERS = bits(INT, UINT);
const WITHIN = FRACTIONS_WITHIN | UNSIGNED_WITHIN | NULLS_WITHIN;

/**
 * The marks of an object that has been read.
 * @param spans where its names begin and end, with their quotes; `base` is the first one's index
 * @param arrays how many arrays it is within
 */
export function marksOfObject(
  bytes: Buffer,
  spans: readonly number[],
  base: number,
  arrays: number,
): number {
  const names = (spans.length - base) / 2;
  // An array of several kinds would keep such an object as a tuple that is shared with the other
  // objects of its list.
  let marks = names === 0 || names > TUPLE_NAMES_MAX || arrays > 1 ? CHANGED_IN_MIXED_ARRAYS : 0;
  for (let index = base; index < spans.length; index += 2)
    marks |= marksOfName(bytes, (spans[index] ?? 0) + 1, (spans[index + 1] ?? 0) - 1);
  return marks;
}

function marksOfName(bytes: Buffer, from: number, to: number): number {
  if (from === to) return CHANGED_IN_MIXED_ARRAYS;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    // The engine writes a dot within a name like this, and reads it back as a dot.
    if (byte === PERCENT && isEscapedDot(bytes, at))
      return CHANGED_IN_OBJECTS | CHANGED_IN_MIXED_ARRAYS;
    // Two names may become the same column. Then nothing of the table can be read any more.
    if (byte === DOT) return CHANGED_IN_MIXED_ARRAYS;
    if (byte === BACKSLASH && bytes[at + 1] === LOWER_U) return CHANGED_IN_MIXED_ARRAYS;
  }
  const isNull = to - from === 4 && bytes.readUInt32LE(from) === NULL;
  return isNull ? CHANGED_IN_MIXED_ARRAYS : 0;
}

const isEscapedDot = (bytes: Buffer, at: number): boolean =>
  bytes[at + 1] === 0x32 && bytes[at + 2] === 0x45;

/**
 * The marks of an array that has been read.
 * @param kinds of its elements, one bit for each
 * @param marks of its elements
 * @param arrays how many arrays it is within
 * @param objects the same of objects
 * @returns all its marks
 */
export function marksOfArray(
  kinds: number,
  marks: number,
  arrays: number,
  objects: number,
): number {
  const own = marks & ~WITHIN;
  if (arrays === 0 && objects === 0) return own;
  const ofArrays = (kinds & ARRAYS) === 0 ? 0 : marks;
  // The engine takes an integer with a fraction for an integer, and reads all numbers beside it as
  // integers.
  const isOdd = (kinds & INTEGERS) !== 0 && (marks & ODDLY_WRITTEN) !== 0;
  const hasFractions = isOdd || (kinds & (1 << FLOAT)) !== 0 || (ofArrays & FRACTIONS_WITHIN) !== 0;
  const hasUnsigned = (kinds & (1 << UINT)) !== 0 || (ofArrays & UNSIGNED_WITHIN) !== 0;
  const isChanged =
    (hasFractions && (marks & LONG_INTEGER) !== 0) ||
    (hasUnsigned && (marks & NEGATIVE) !== 0) ||
    losesNull(kinds, ofArrays);
  const changed = isChanged
    ? (arrays > 0 ? CHANGED_IN_MIXED_ARRAYS : 0) | (objects > 0 ? CHANGED_IN_OBJECTS : 0)
    : 0;
  if (arrays === 0) return own | changed;
  return (
    own |
    changed |
    (ofArrays & WITHIN) |
    (hasFractions ? FRACTIONS_WITHIN : 0) |
    (hasUnsigned ? UNSIGNED_WITHIN : 0) |
    (kinds === 1 << NONE ? NULLS_WITHIN : 0)
  );
}

/** Tells whether a null would become an empty array or an empty object: beside one, or in an array beside one of those. */
const losesNull = (kinds: number, marksOfArrays: number): boolean =>
  ((kinds & (1 << NONE)) !== 0 && (kinds & NESTED) !== 0) ||
  ((kinds & NESTED_TWICE) !== 0 && (marksOfArrays & NULLS_WITHIN) !== 0);
