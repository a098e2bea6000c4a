import { readBinaryType, readRawBinaryType } from '@app/warehouse';
import { readElement, readEngineType } from '../../plan/engine-type.js';

/**
 * The kind of a value: a signed or unsigned integer of at most 64 bits, a count, a literal of
 * digits, a literal with a point (a float, but a decimal beside decimals), a decimal, a float, a
 * text, a date, a point in time, a time of day, or none of these.
 */
export type Kind =
  | 'signed'
  | 'unsigned'
  | 'count'
  | 'literal'
  | 'fraction'
  | 'decimal'
  | 'float'
  | 'text'
  | 'date'
  | 'moment'
  | 'time'
  | 'other'
  | 'unknown';

/** The facts about a value that are known before the statement runs. */
export interface Known {
  readonly kind: Kind;
  /**
   * For integers and decimals, the largest number of decimal digits, and how many of them are
   * behind the point. For points in time and times of day, the digits of fractions of a second, if they are known.
   */
  readonly precision: number;
  readonly scale: number;
  /** Set for a text that stands for bytes: the number of bytes of each value. */
  readonly bytes?: 'any' | number;
  /** Set where the bytes are kept as they are, and not as base64. */
  readonly isRaw?: true;
  /** True for a point in time without a zone. */
  readonly isLocal?: true;
  /** For the difference of two times: how many of its numbers are a second. */
  readonly perSecond?: number;
  /** True for an INTERVAL. */
  readonly isLength?: true;
  /** True for a point in time that has the engine's longer type, without fractions of a second. */
  readonly isWide?: true;
  /** True for the empty text. */
  readonly isEmpty?: true;
  /** Set for a column's name where tables have decimals or integers of several types. */
  readonly isExact?: true;
  /** For a list, the type of its elements. */
  readonly element?: Known;
  /** For a struct, its named fields in their order. */
  readonly fields?: readonly Field[];
}

interface Field {
  readonly name: string;
  readonly type: Known;
}

const known = (kind: Kind, precision = 0, scale = 0): Known => ({ kind, precision, scale });
export const decimal = (precision: number, scale: number): Known =>
  known('decimal', precision, scale);
export const fraction = (precision: number, scale: number): Known =>
  known('fraction', precision, scale);
export const literal = (digits: number): Known => known('literal', digits);

export const INT64_DIGITS = 19;
export const UINT64_DIGITS = 20;
export const UNKNOWN = known('unknown');
const ONE_OF_EXACT: Known = { ...known('unknown'), isExact: true };
export const OTHER = known('other');
export const TEXT = known('text');
export const EMPTY_TEXT: Known = { ...TEXT, isEmpty: true };
export const FLOAT = known('float');
export const DATE = known('date');
export const moment = (digits = 0): Known => known('moment', digits);
export const TIME = known('time');
export const SIGNED = known('signed', INT64_DIGITS);
export const UNSIGNED = known('unsigned', UINT64_DIGITS);
export const COUNT = known('count', INT64_DIGITS);

/** The digits of integers by their bits. */
const DIGITS: Readonly<Record<string, number>> = { 8: 3, 16: 5, 32: 10, 64: INT64_DIGITS };
export const DECIMAL_DIGITS_MAX = 76;

/**
 * A condition on the type of a value that only the engine knows.
 * @param names a pattern of the engine's names, such as `Float|Decimal`
 */
export const hasType = (value: string, names: string): string =>
  `match(toTypeName(${value}), '${names}')`;

export const isInteger = ({ kind }: Known): boolean =>
  kind === 'signed' || kind === 'unsigned' || kind === 'count' || kind === 'literal';

/** Tells whether the number of digits of a type is known. */
export const isExact = (type: Known): boolean =>
  type.kind === 'decimal' || type.kind === 'fraction' || isInteger(type);

const WRAPPERS = /^(?:Nullable|LowCardinality)$/;
const BY_NAME: readonly (readonly [RegExp, Known])[] = [
  [/^Date(?:32)?$/, DATE],
  [/^DateTime$/, moment()],
  [/^Time(?:64)?$/, TIME],
  [/^B?Float(?:16|32|64)$/, FLOAT],
  [/^String$/, TEXT],
  [/^(?:Dynamic|Variant|JSON)$/, UNKNOWN],
];

/** Reads the engine's name of a type. */
export function knownType(type: string): Known {
  const { name, parameters } = readEngineType(type);
  const [first] = parameters;
  if (name === 'Array' && first !== undefined) return { ...OTHER, element: knownType(first) };
  if (name === 'Tuple') return structOf(parameters);
  if (name === 'Variant' && parameters.every((each) => isExact(knownType(each)))) return ONE_OF_EXACT; // prettier-ignore
  if (WRAPPERS.test(name)) return first === undefined ? OTHER : knownType(first);
  const binary = readBinaryType(type);
  if (binary) return { ...TEXT, bytes: binary.bytes ?? 'any' };
  // The engine compares bytes of one length as they are with texts of fewer.
  if (readRawBinaryType(type)) return { ...TEXT, bytes: 'any', isRaw: true };
  const [, unsigned, bits = ''] = /^(U?)Int(8|16|32|64)$/.exec(name) ?? [];
  if (unsigned === '') return known('signed', DIGITS[bits]);
  if (unsigned === 'U') return known('unsigned', bits === '64' ? UINT64_DIGITS : DIGITS[bits]);
  if (name === 'Decimal') return decimal(Number(first), Number(parameters[1] ?? '0'));
  if (name === 'DateTime64')
    return { ...moment(Number(first)), ...(parameters.length === 1 && { isLocal: true }) };
  if (name === 'Time64') return known('time', Number(first));
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? OTHER;
}

function structOf(elements: readonly string[]): Known {
  const fields = elements
    .map(readElement)
    .map(({ name, type }) => ({ name: fieldName(name), type }));
  if (fields.length === 0 || fields.some(({ name }) => name === '')) return OTHER;
  return { ...OTHER, fields: fields.map(({ name, type }) => ({ name, type: knownType(type) })) };
}

/** The name of a field as the engine prints it before its type, without quotes. */
export const fieldName = (printed: string): string =>
  printed
    .trim()
    .replace(/^`([^]*)`$/, (_, name: string) =>
      name.replace(/\\(.)|``/gs, (pair, letter: string | undefined) => letter ?? pair.charAt(0)),
    );

const NUMBERS = /^(?:signed|unsigned|count|literal|fraction|decimal|float)$/;

/** Gives the type that `+`, `-` and `*` make of two values. */
export function joined(operator: string, left: Known, right: Known): Known {
  const [a, b] = [left.kind, right.kind];
  if (!NUMBERS.test(a) && a !== 'unknown') return OTHER;
  if (!NUMBERS.test(b) && b !== 'unknown') return OTHER;
  if (a === 'unknown' || b === 'unknown') return UNKNOWN;
  if (a === 'float' || b === 'float') return FLOAT;
  if (a === 'decimal' || b === 'decimal') return joinedDecimals(operator, left, right);
  if (a === 'fraction' || b === 'fraction') return FLOAT;
  if (a === 'literal' && b === 'literal')
    return literal(operator === '*' ? left.precision + right.precision : left.precision + 1);
  return operator === '-' || a === 'signed' || b === 'signed' ? SIGNED : UNSIGNED;
}

function joinedDecimals(operator: string, left: Known, right: Known): Known {
  if (operator === '*')
    return decimal(
      Math.min(left.precision + right.precision, DECIMAL_DIGITS_MAX),
      left.scale + right.scale,
    );
  const scale = Math.max(left.scale, right.scale);
  const whole = Math.max(left.precision - left.scale, right.precision - right.scale) + 1;
  return decimal(Math.min(whole + scale, DECIMAL_DIGITS_MAX), scale);
}

/**
 * Bytes beside a text are text. Beside the empty text they stay bytes, because the empty text is
 * also the base64 of no bytes.
 */
function eitherText(left: Known, right: Known): Known {
  if (left.isEmpty || right.isEmpty) {
    const other = left.isEmpty ? right : left;
    return other.bytes === 'any' || other.isEmpty ? other : TEXT;
  }
  return left.bytes === right.bytes ? left : TEXT;
}

/** Gives the common type of several values, as in CASE. */
export function eitherOf(left: Known, right: Known): Known {
  if (left.kind === 'text' && right.kind === 'text') return eitherText(left, right);
  if (left.isExact !== right.isExact) return UNKNOWN;
  if (left.perSecond !== right.perSecond) return eitherLength(left, right);
  if (left.kind === right.kind && left.kind !== 'decimal')
    return left.precision >= right.precision ? left : right;
  const kinds = [left.kind, right.kind];
  // No integer of 64 bits holds both types.
  const isWide = Math.max(left.precision, right.precision) === UINT64_DIGITS;
  const isAbove = kinds.includes('unsigned') || kinds.includes('literal');
  if (isWide && isAbove && kinds.includes('signed')) return decimal(UINT64_DIGITS, 0);
  if (!kinds.every((kind) => NUMBERS.test(kind))) return UNKNOWN;
  if (isExact(left) && isExact(right) && kinds.includes('decimal')) {
    const { precision, scale } = joinedDecimals('+', left, right);
    return decimal(precision - 1, scale);
  }
  return joined('+', left, right);
}

/** A number that is written out beside a length of time is one, too: `coalesce(b - a, 0)`. */
function eitherLength(left: Known, right: Known): Known {
  if (left.kind === 'literal') return right;
  if (right.kind === 'literal') return left;
  const asNumber = ({ kind, precision, scale }: Known): Known => known(kind, precision, scale);
  return eitherOf(asNumber(left), asNumber(right));
}

const SUM_DIGITS = 38;

/** A literal is a decimal only if its digits are known. At this point the engine has already made a float of it. */
const asFloat = (type: Known): Known => (type.kind === 'fraction' ? FLOAT : type);

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

/** The types of integers that a name may be taken for. */
export const INTEGERS: Readonly<Record<string, Known>> = { signed: SIGNED, unsigned: UNSIGNED, count: COUNT }; // prettier-ignore

/** The type of a name with several meanings, if they are of one kind. */
export function oneOf(types: readonly Known[]): Known {
  // A count is never above what the signed type holds.
  const { kind } = types.find((type) => type.kind === 'signed' || type.kind === 'unsigned') ?? UNKNOWN; // prettier-ignore
  const alike = types.map((type) => (type.kind === 'count' ? (INTEGERS[kind] ?? type) : type));
  const isOne = new Set(alike.map((type) => type.kind)).size === 1;
  return isOne ? asFloat(alike.reduce(eitherOf)) : UNKNOWN;
}
