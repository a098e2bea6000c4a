import { readBinaryType, writeBinaryType } from '@app/warehouse';

/** The type of a single value, whatever holds it: a column, a field of a file, an element of a list. */
export type ValueType =
  | { readonly family: 'integer'; readonly bits: 8 | 16 | 32 | 64; readonly isSigned: boolean }
  | { readonly family: 'float'; readonly bits: 32 | 64 }
  | { readonly family: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly family: 'boolean' | 'text' | 'uuid' | 'date' }
  /** Bytes, stored as base64; `bytes` is the number of bytes of each value, if it is fixed. */
  | { readonly family: 'binary'; readonly bytes?: number }
  /** `digits` of a second, up to 9. A time that is not in UTC has no zone, and is a local time. */
  | { readonly family: 'timestamp'; readonly digits: number; readonly isUtc: boolean }
  | { readonly family: 'time'; readonly digits: number };

type Integer = Extract<ValueType, { readonly family: 'integer' }>;
type Decimal = Extract<ValueType, { readonly family: 'decimal' }>;
type Timestamp = Extract<ValueType, { readonly family: 'timestamp' }>;

/** The engine's widest decimals have so many digits. */
export const DECIMAL_DIGITS_MAX = 76;
/**
 * With more digits than microseconds, the engine's times end in 2262, and some values of other
 * units do not fit.
 */
const DIGITS_OF_ALL_TIMES = 6;
const FLOAT_INTEGER_BITS = { 32: 16, 64: 32 } as const;
/** Digits of the largest integer, by its bits. */
const INTEGER_DIGITS = { 8: 3, 16: 5, 32: 10, 64: 19 } as const;
const UINT64_DIGITS = 20;

const NAMES: readonly (readonly [RegExp, (...parameters: readonly string[]) => ValueType])[] = [
  [
    /^(U?)Int(8|16|32|64)$/,
    (sign, bits) => ({ family: 'integer', bits: Number(bits) as 8, isSigned: sign === '' }),
  ],
  [/^Float(32|64)$/, (bits) => ({ family: 'float', bits: Number(bits) as 32 })],
  [/^Bool$/, () => ({ family: 'boolean' })],
  [/^String$/, () => ({ family: 'text' })],
  [/^UUID$/, () => ({ family: 'uuid' })],
  [/^Date32$/, () => ({ family: 'date' })],
  [
    /^Decimal\((\d+), (\d+)\)$/,
    (precision, scale) => ({
      family: 'decimal',
      precision: Number(precision),
      scale: Number(scale),
    }),
  ],
  [
    /^DateTime64\((\d)(, 'UTC')?\)$/,
    (digits, zone) => ({
      family: 'timestamp',
      digits: Number(digits),
      isUtc: zone !== undefined,
    }),
  ],
  [/^Time64\((\d)\)$/, (digits) => ({ family: 'time', digits: Number(digits) })],
];

/** Reads the engine's name of a type of single values, nullable or not; undefined for others. */
export function readValueType(type: string): ValueType | undefined {
  const name = /^Nullable\((.+)\)$/.exec(type)?.[1] ?? type;
  for (const [pattern, read] of NAMES) {
    const match = pattern.exec(name);
    if (match) return read(...match.slice(1));
  }
  const binary = readBinaryType(name);
  return binary && { family: 'binary', ...binary };
}

/** The engine's name of a type, as it is without nulls. */
export function writeValueType(type: ValueType): string {
  switch (type.family) {
    case 'integer':
      return `${type.isSigned ? '' : 'U'}Int${type.bits}`;
    case 'float':
      return `Float${type.bits}`;
    case 'decimal':
      return `Decimal(${type.precision}, ${type.scale})`;
    case 'boolean':
      return 'Bool';
    case 'text':
      return 'String';
    case 'uuid':
      return 'UUID';
    case 'date':
      return 'Date32';
    case 'timestamp':
      return `DateTime64(${type.digits}${type.isUtc ? ", 'UTC'" : ''})`;
    case 'time':
      return `Time64(${type.digits})`;
    case 'binary':
      return writeBinaryType(type);
  }
}

/**
 * Tells whether every value of the other type is also a value of this type, so that nothing is
 * lost.
 */
export function holds(type: ValueType, other: ValueType): boolean {
  const wider = widest(type, other);
  return wider !== undefined && writeValueType(wider) === writeValueType(type);
}

/** The narrowest type that holds all values of both; undefined where there is none. */
export function widest(a: ValueType, b: ValueType): ValueType | undefined {
  if (writeValueType(a) === writeValueType(b)) return a;
  return inOrder(a, b) ?? inOrder(b, a);
}

function inOrder(a: ValueType, b: ValueType): ValueType | undefined {
  if (a.family === 'integer') return widerInteger(a, b);
  if (a.family === 'float' && b.family === 'float') return { family: 'float', bits: 64 };
  if (a.family === 'decimal' && b.family === 'decimal')
    return decimalOf(wholeDigits(a), a.scale, b);
  if (a.family === 'date' && b.family === 'timestamp')
    return b.digits <= DIGITS_OF_ALL_TIMES ? b : undefined;
  if (a.family === 'timestamp' && b.family === 'timestamp') return widerTimestamp(a, b);
  if (a.family === 'time' && b.family === 'time')
    return { family: 'time', digits: Math.max(a.digits, b.digits) };
  if (a.family === 'binary' && b.family === 'binary') return { family: 'binary' };
  return undefined;
}

function widerInteger(a: Integer, b: ValueType): ValueType | undefined {
  switch (b.family) {
    case 'integer': {
      const [least = a, most = b] = [a, b].sort((x, y) => x.bits - y.bits);
      if (a.isSigned === b.isSigned) return most;
      if (most.isSigned && most.bits > least.bits) return most;
      // A signed type with twice the bits holds all unsigned values.
      const bits = 2 * most.bits;
      return bits > 64 ? undefined : { family: 'integer', bits: bits as 16, isSigned: true };
    }
    case 'float': {
      if (a.bits <= FLOAT_INTEGER_BITS[b.bits]) return b;
      return a.bits <= FLOAT_INTEGER_BITS[64] ? { family: 'float', bits: 64 } : undefined;
    }
    case 'decimal':
      // With fewer digits than the largest integer has, every number is included, also the negative
      // ones.
      if (a.isSigned && b.scale === 0 && b.precision < integerDigits(a)) return a;
      return decimalOf(integerDigits(a), 0, b);
    default:
      return undefined;
  }
}

const integerDigits = ({ bits, isSigned }: Integer): number =>
  bits === 64 && !isSigned ? UINT64_DIGITS : INTEGER_DIGITS[bits];

const wholeDigits = ({ precision, scale }: Decimal): number => precision - scale;

function decimalOf(whole: number, scale: number, other: Decimal): Decimal | undefined {
  const most = Math.max(scale, other.scale);
  const precision = Math.max(whole, wholeDigits(other)) + most;
  return precision <= DECIMAL_DIGITS_MAX
    ? { family: 'decimal', precision, scale: most }
    : undefined;
}

function widerTimestamp(a: Timestamp, b: Timestamp): ValueType | undefined {
  const digits = Math.max(a.digits, b.digits);
  // A local time is no moment.
  return a.isUtc === b.isUtc && digits <= DIGITS_OF_ALL_TIMES ? { ...a, digits } : undefined;
}
