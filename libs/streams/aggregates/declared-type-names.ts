import { readValueType, writeValueType, DECIMAL_DIGITS_MAX, type ValueType } from './value-type.js';

/** The decimal places of a second for each of Arrow's units. */
const UNITS: readonly (readonly [number, string])[] = [
  [0, 'Second'],
  [3, 'Millisecond'],
  [6, 'Microsecond'],
  [9, 'Nanosecond'],
];
const DECIMAL128_DIGITS = 38;
/** The short name of the timestamp type that `_timestamp` has. */
const TIMESTAMP = { family: 'timestamp', digits: 6, isUtc: true } as const;

const unitOf = (digits: number): string =>
  UNITS.find(([most]) => digits <= most)?.[1] ?? 'Nanosecond';

/** Arrow's name of a single value's type. */
function nameOf(type: ValueType): string {
  switch (type.family) {
    case 'boolean':
      return 'Boolean';
    case 'text':
      return 'Utf8';
    case 'decimal': {
      const bits = type.precision <= DECIMAL128_DIGITS ? 128 : 256;
      return `Decimal${bits}(${type.precision}, ${type.scale})`;
    }
    case 'timestamp':
      return writeValueType(type) === writeValueType(TIMESTAMP)
        ? 'Timestamp'
        : `Timestamp(${unitOf(type.digits)}, ${type.isUtc ? 'UTC' : 'None'})`;
    case 'time':
      return `Time64(${unitOf(type.digits)})`;
    case 'binary':
      return type.bytes === undefined ? 'Binary' : `FixedSizeBinary(${type.bytes})`;
    default:
      return writeValueType(type);
  }
}

const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^Nullable\(Nothing\)$/, 'Null'],
  [/^Array\(/, 'List'],
  [/^(?:Nullable\()?JSON/, 'Struct'],
  [/^LowCardinality\(String\)$/, 'Utf8'],
];

/** Arrow's name of a column type, as the API shows it. */
export function arrowName(type: string): string {
  const value = readValueType(type);
  if (value) return nameOf(value);
  return OTHERS.find(([pattern]) => pattern.test(type))?.[1] ?? type;
}

const STRUCT = 'Struct';
const PLAIN: ReadonlyMap<string, ValueType> = new Map<string, ValueType>(
  [
    'Bool',
    'String',
    'UUID',
    'Date32',
    'Float32',
    'Float64',
    ...['Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt16', 'UInt32', 'UInt64'],
  ].flatMap((name): [string, ValueType][] => {
    const type = readValueType(name);
    return type ? [[nameOf(type), type]] : [];
  }),
).set('Binary', { family: 'binary' });

/** The names of types that may be declared, for an error message. */
export const DECLARABLE_NAMES: readonly string[] = [
  ...PLAIN.keys(),
  'Decimal128(<digits>, <scale>)',
  'Timestamp',
  'Timestamp(<unit>, <UTC or None>)',
  'Time64(<unit>)',
  'FixedSizeBinary(<bytes>)',
  STRUCT,
  'List<…> of each',
];

/** The column type that a declared name stands for. */
export function declaredType(name: string): string | undefined {
  const element = /^List<(.+)>$/.exec(name)?.[1];
  if (element === undefined) return declaredSingle(name, false);
  const single = declaredSingle(element, true);
  return single && `Array(${single})`;
}

/** @param isElement whether it is the element of a list: there, the engine has no null objects */
function declaredSingle(name: string, isElement: boolean): string | undefined {
  if (name === STRUCT) return isElement ? 'JSON' : 'Nullable(JSON)';
  const value = declaredValue(name);
  return value && `Nullable(${writeValueType(value)})`;
}

function declaredValue(name: string): ValueType | undefined {
  const plain = PLAIN.get(name);
  if (plain) return plain;
  if (name === 'Timestamp') return TIMESTAMP;
  const bytes = Number(/^FixedSizeBinary\(([1-9]\d{0,8})\)$/.exec(name)?.[1] ?? 0);
  if (bytes > 0) return readValueType(writeValueType({ family: 'binary', bytes }));
  const [, outer = '', first = '', second = ''] =
    /^(Decimal(?:128|256)?|Timestamp|Time64)\( ?(\w+)(?:, ?(\w+))? ?\)$/.exec(name) ?? [];
  if (outer.startsWith('Decimal')) {
    const [precision, scale] = [Number(first), second === '' ? 0 : Number(second)];
    const isSound = precision >= 1 && precision <= DECIMAL_DIGITS_MAX && scale <= precision;
    return isSound && Number.isInteger(scale) ? { family: 'decimal', precision, scale } : undefined;
  }
  const digits = UNITS.find(([, unit]) => unit === first)?.[0];
  if (digits === undefined) return undefined;
  if (outer === 'Time64') return second === '' ? { family: 'time', digits } : undefined;
  const isUtc = second === 'UTC';
  return isUtc || second === 'None' ? { family: 'timestamp', digits, isUtc } : undefined;
}

/**
 * Arrow's name of the type of a list's elements; undefined if it is no list, or a list of lists,
 * whose elements may have any type.
 */
export function elementName(type: string): string | undefined {
  const element = /^Array\((.+)\)$/.exec(type)?.[1];
  return element === undefined || element === 'Dynamic' ? undefined : arrowName(element);
}

/** The name with which a column of this type could be declared: `List<Int64>`, where {@link arrowName} says `List`. */
export function declarableName(type: string): string {
  const element = elementName(type);
  return element === undefined ? arrowName(type) : `List<${element}>`;
}
