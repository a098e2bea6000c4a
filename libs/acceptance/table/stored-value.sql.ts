import { MillraceError } from '@app/platform';
import { quoteIdentifier, quoteText, TIMESTAMP } from '@app/warehouse';
import {
  dateText,
  julianDay,
  nanosOfDay,
  ticksOf,
  timestampText,
  timeText,
} from './civil-time.sql.js';
import {
  engineType,
  isScalar,
  type Field,
  type FieldType,
  type ScalarType,
  type SecondDigits,
} from './field-type.js';

/** Decimals of so many digits are what they were when a float is written as text again. */
const EXACT_FLOAT_DIGITS = 15;
const INT64_DIGITS = 18;
const SECONDS_A_DAY = 86_400;

/**
 * The kind of value, as the column types' rules name it, that a field becomes in a stream: single
 * values and arrays of them by type; structs, maps and arrays of those are objects.
 */
export function storedKind(type: FieldType): string {
  if (isScalar(type)) return scalarKind(type);
  if (type.kind !== 'list') return 'JSON';
  const element = type.element.type;
  if (isScalar(element)) return `Array(Nullable(${scalarKind(element)}))`;
  return element.kind === 'list' ? 'Array(Dynamic)' : 'Array(JSON)';
}

/** Whether values of a kind travel as JSON text. */
export const isJsonText = (kind: string): boolean => kind.endsWith('JSON') || isJsonArray(kind);
/** Whether values of a kind are arrays that travel as JSON text. */
export const isJsonArray = (kind: string): boolean =>
  kind === 'Array(JSON)' || kind === 'Array(Dynamic)';

function scalarKind(type: ScalarType): string {
  switch (type.kind) {
    case 'integer':
      return type.signed || type.bits < 64 ? 'Int64' : 'UInt64';
    case 'float':
      return 'Float64';
    case 'boolean':
      return 'Bool';
    case 'decimal':
      if (type.scale === 0 && type.precision <= INT64_DIGITS) return 'Int64';
      return type.precision <= EXACT_FLOAT_DIGITS ? 'Float64' : 'String';
    default:
      return 'String';
  }
}

/**
 * SQL for what a stream keeps of a field, without loss: times are ISO 8601, what is not text is
 * base64, decimals are numbers while floats of 64 bits can hold them, else text.
 * @param value SQL of the field as the engine reads it.
 * @param held what the file says it is; undefined when the file does not have it.
 * @param declared what the table says it is.
 * @throws {MillraceError} MALFORMED_BODY when the one cannot be the other.
 */
export function storedValue(value: string, held: Field | undefined, declared: Field): string {
  const kind = storedKind(declared.type);
  if (isJsonText(kind)) {
    if (!held) return isJsonArray(kind) ? "'[]'" : "'{}'";
    return `toJSONString(${valueOf(value, held, declared, 0)})`;
  }
  return held ? valueOf(value, held, declared, 0) : absent(declared.type);
}

/** Whether a field gives a row's time, and not as a number or text that may be in several units. */
export const isTimeField = ({ name, type: { kind } }: Field): boolean =>
  name === TIMESTAMP.name && (kind === 'timestamp' || kind === 'date' || kind === 'int96');

/** SQL for microseconds since 1970, for fields that are times. */
export const microsValue = (value: string, held: Field, declared: Field): string =>
  ticks(value, held, declared, 6);

/** The engine's type of what {@link valueOf} gives. */
function valueType(type: FieldType): string {
  switch (type.kind) {
    case 'list':
      return `Array(${valueType(type.element.type)})`;
    case 'struct': {
      const fields = type.fields.map((field) => {
        return `${quoteIdentifier(field.name)} ${valueType(field.type)}`;
      });
      return `Tuple(${fields.join(', ')})`;
    }
    case 'map':
      return `Map(String, ${valueType(type.value.type)})`;
    default:
      return `Nullable(${scalarKind(type)})`;
  }
}

function absent(type: FieldType): string {
  return `defaultValueOfTypeName(${quoteText(valueType(type))})`;
}

function valueOf(value: string, held: Field, declared: Field, depth: number): string {
  const { type } = declared;
  const file = held.type;
  if (isScalar(type)) {
    if (!isScalar(file)) throw otherwise(held, declared);
    return scalarValue(value, held, declared, type);
  }
  const each = `v${depth}`;
  if (type.kind === 'list' && file.kind === 'list') {
    const element = valueOf(each, file.element, type.element, depth + 1);
    return element === each ? value : `arrayMap(${each} -> ${element}, ${value})`;
  }
  if (type.kind === 'map' && file.kind === 'map') {
    const key = valueOf(each, file.key, type.key, depth + 1);
    const entry = valueOf(each, file.value, type.value, depth + 1);
    return (
      `mapFromArrays(arrayMap(${each} -> toString(assumeNotNull(${key})), mapKeys(${value})),` +
      ` arrayMap(${each} -> ${entry}, mapValues(${value})))`
    );
  }
  if (type.kind === 'struct' && file.kind === 'struct') {
    const parts = type.fields.map((field) => {
      const own = heldField(file.fields, field);
      if (!own) return absent(field.type);
      return valueOf(`tupleElement(${value}, ${quoteText(own.name)})`, own, field, depth);
    });
    return `CAST(tuple(${parts.join(', ')}), ${quoteText(valueType(type))})`;
  }
  throw otherwise(held, declared);
}

/** The field of a file that a declared one is. */
export function heldField(fields: readonly Field[], declared: Field): Field | undefined {
  const { heldBy = declared } = declared;
  return fields.find((field) =>
    'name' in heldBy ? field.name === heldBy.name : field.id === heldBy.id,
  );
}

function scalarValue(value: string, held: Field, declared: Field, type: ScalarType): string {
  switch (type.kind) {
    case 'integer':
      only(held, declared, 'integer');
      return `to${scalarKind(type)}(${value})`;
    case 'float':
      only(held, declared, 'float', 'integer');
      return `toFloat64(${value})`;
    case 'boolean':
      only(held, declared, 'boolean');
      return value;
    case 'text':
      only(held, declared, 'text', 'binary', 'uuid');
      return held.type.kind === 'uuid' ? `toString(${value})` : value;
    case 'binary':
    case 'fixed':
      only(held, declared, 'binary', 'fixed', 'text');
      return `base64Encode(${value})`;
    case 'uuid':
      only(held, declared, 'uuid');
      return `toString(${value})`;
    case 'date':
      only(held, declared, 'date');
      return dateText(value);
    case 'int96':
      only(held, declared, 'int96');
      return `concat(${dateText(julianDay(value))}, 'T', ${timeText(nanosOfDay(value), 9)}, 'Z')`;
    case 'time':
      only(held, declared, 'time');
      return timeText(ticksOf(value, type.digits), type.digits);
    case 'timestamp': {
      const text = timestampText(ticks(value, held, declared, type.digits), type.digits);
      return type.utc ? `concat(${text}, 'Z')` : text;
    }
    case 'decimal': {
      only(held, declared, 'decimal', 'integer');
      const exact =
        engineType(held.type) === engineType(type)
          ? value
          : `CAST(${value}, ${quoteText(engineType(type))})`;
      const kind = scalarKind(type);
      return kind === 'String' ? `toString(${exact})` : `to${kind}(${exact})`;
    }
  }
}

/** SQL for ticks since 1970 of a time or a date. */
function ticks(value: string, held: Field, declared: Field, digits: SecondDigits): string {
  only(held, declared, 'timestamp', 'date', 'int96');
  const { type } = held;
  if (type.kind === 'date') return `(toInt64(${value}) * ${SECONDS_A_DAY * 10 ** digits})`;
  if (type.kind === 'int96') {
    const days = `${julianDay(value)} * toInt64(${SECONDS_A_DAY * 10 ** digits})`;
    return `(${days} + intDiv(${nanosOfDay(value)}, toInt64(${10 ** (9 - digits)})))`;
  }
  if (type.kind !== 'timestamp') throw otherwise(held, declared);
  const own = ticksOf(value, type.digits);
  if (type.digits === digits) return own;
  const factor = `toInt64(${10 ** Math.abs(type.digits - digits)})`;
  return type.digits < digits
    ? `(${own} * ${factor})`
    : `intDiv(${own} - positiveModulo(${own}, ${factor}), ${factor})`;
}

function only(held: Field, declared: Field, ...kinds: FieldType['kind'][]): void {
  if (!kinds.includes(held.type.kind)) throw otherwise(held, declared);
}

const otherwise = (held: Field, declared: Field): MillraceError =>
  new MillraceError(
    'MALFORMED_BODY',
    `column ${JSON.stringify(declared.name)} should be ${declared.type.kind}, a data file has ${held.type.kind} there`,
  );
