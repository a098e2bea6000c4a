import { anyBinaryType } from '../../plan/binary-values.js';
import { readElement, readEngineType, typeWithin } from '../../plan/engine-type.js';

/** A field in the JSON of Arrow's Rust library, which ROAPI's clients read. */
export interface ArrowField {
  readonly name: string;
  readonly data_type: ArrowType;
  readonly nullable: boolean;
  readonly dict_id: 0;
  readonly dict_is_ordered: false;
}

export type ArrowType =
  | string
  | { readonly Timestamp: readonly [string, string | null] }
  | { readonly Time32: string }
  | { readonly Time64: string }
  | { readonly Decimal128: readonly [number, number] }
  | { readonly Decimal256: readonly [number, number] }
  | { readonly FixedSizeBinary: number }
  | { readonly List: ArrowField }
  | { readonly Map: readonly [ArrowField, false] }
  | { readonly Struct: readonly ArrowField[] };

const SIMPLE: readonly (readonly [RegExp, string])[] = [
  [/^U?Int(?:8|16|32|64)$/, '$&'],
  [/^Float(?:32|64)$/, '$&'],
  [/^BFloat16$/, 'Float32'],
  [/^Bool$/, 'Boolean'],
  [/^Date(?:32)?$/, 'Date32'],
  [/^Nothing$/, 'Null'],
];
/** The units, by the number of digits of a second. */
const UNITS: readonly (readonly [number, string])[] = [
  [0, 'Second'],
  [3, 'Millisecond'],
  [6, 'Microsecond'],
  [9, 'Nanosecond'],
];
const MILLISECOND_DIGITS = 3;
const DECIMAL128_DIGITS = 38;
const UUID_BYTES = 16;

/** Arrow's type for the engine's type. Values that Arrow has no type for are answered as text. */
export function arrowType(type: string): ArrowType {
  const read = readEngineType(type);
  const { name: outer, parameters } = read;
  const [first = ''] = parameters;
  switch (outer) {
    case 'Nullable':
    case 'LowCardinality':
      return arrowType(first);
    case 'Array':
      return { List: arrowField('item', first, true) };
    case 'Tuple':
      return { Struct: parameters.map(element) };
    case 'Map': {
      const [, value = ''] = parameters;
      const entry = [arrowField('keys', first), arrowField('values', value)];
      return { Map: [field('entries', { Struct: entry }, false), false] };
    }
    case 'DateTime':
    case 'DateTime64':
      return timestamp(outer === 'DateTime' ? ['0', ...parameters] : parameters);
    case 'Time':
      return { Time32: 'Second' };
    case 'Time64':
      return Number(first) <= MILLISECOND_DIGITS
        ? { Time32: unitOf(first) }
        : { Time64: unitOf(first) };
    case 'Decimal': {
      const [precision = 0, scale = 0] = parameters.map(Number);
      return precision > DECIMAL128_DIGITS
        ? { Decimal256: [precision, scale] }
        : { Decimal128: [precision, scale] };
    }
    case 'SimpleAggregateFunction': {
      const binary = anyBinaryType(type);
      if (!binary) return arrowType(typeWithin(read, 1));
      return binary.bytes === undefined ? 'Binary' : { FixedSizeBinary: binary.bytes };
    }
    case 'UUID':
      return { FixedSizeBinary: UUID_BYTES };
    case 'FixedString':
      return { FixedSizeBinary: Number(first) };
    default: {
      const simple = SIMPLE.find(([pattern]) => pattern.test(type));
      return simple ? type.replace(simple[0], simple[1]) : 'Utf8';
    }
  }
}

/** @param nullable by default, the type decides. */
export const arrowField = (
  name: string,
  type: string,
  nullable = /^(?:LowCardinality\()?Nullable\(/.test(type),
): ArrowField => field(name, arrowType(type), nullable);

export function field(name: string, type: ArrowType, nullable: boolean): ArrowField {
  return { name, data_type: type, nullable, dict_id: 0, dict_is_ordered: false };
}

const unitOf = (digits: string): string =>
  UNITS.find(([most]) => Number(digits) <= most)?.[1] ?? 'Nanosecond';

function timestamp([digits = '0', zone]: readonly string[]): ArrowType {
  return { Timestamp: [unitOf(digits), zone === undefined ? null : zone.slice(1, -1)] };
}

/** A field without a name gets a number. */
function element(text: string, index: number): ArrowField {
  const { name, type } = readElement(text);
  if (name === '') return arrowField(String(index + 1), type);
  const bare = name.trimEnd();
  const quoted = bare.startsWith('`');
  return arrowField(quoted ? bare.slice(1, -1).replace(/\\(.)/g, '$1') : bare, type);
}
