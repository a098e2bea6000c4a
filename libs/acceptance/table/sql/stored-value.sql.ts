import type { Field, FieldType, SecondDigits } from '@app/arrow';
import { decimalOfBytes, intervalText } from '@app/parquet';
import { MillraceError } from '@app/platform';
import { holds, writeValueType } from '@app/streams';
import { quoteIdentifier, quoteText, TIMESTAMP } from '@app/warehouse';
import { julianDay, nanosOfDay, ticksOf } from './civil-time.sql.js';
import { engineType, isScalar, valueTypeOf, type ScalarType } from '../files/field-type.js';
import { plainType, plainValue } from './plain-value.sql.js';

const SECONDS_A_DAY = 86_400;
const INT64_MAX = 2n ** 63n - 1n;

/**
 * The kind of value, as the column types' rules name it, that a field becomes in a stream: single
 * values and arrays of them by type; structs, maps and arrays of those are objects.
 */
export function storedKind(type: FieldType): string {
  if (type.kind === 'nothing') return 'None';
  if (isScalar(type)) return writeValueType(valueTypeOf(type));
  if (type.kind !== 'list') return 'JSON';
  const element = type.element.type;
  if (isScalar(element)) return `Array(Nullable(${writeValueType(valueTypeOf(element))}))`;
  return element.kind === 'list' ? 'Array(Dynamic)' : 'Array(JSON)';
}

/** Tells whether values of a kind travel as JSON text. */
export const isJsonText = (kind: string): boolean => kind.endsWith('JSON') || isJsonArray(kind);
/** Tells whether values of a kind are arrays that travel as JSON text. */
export const isJsonArray = (kind: string): boolean =>
  kind === 'Array(JSON)' || kind === 'Array(Dynamic)';

/**
 * The engine's type in which values of a field travel until they are judged. Dates and times are
 * numbers, in the field's unit since 1970 or midnight: the engine's own types have fewer years.
 */
export function spooledType(type: FieldType): string {
  const kind = storedKind(type);
  if (isJsonText(kind)) return isJsonArray(kind) ? 'String' : 'Nullable(String)';
  if (type.kind === 'list') return `Array(${spooledType(type.element.type)})`;
  return `Nullable(${isScalar(type) ? spooledScalar(type) : 'String'})`;
}

function spooledScalar(type: ScalarType): string {
  switch (type.kind) {
    case 'date':
      return 'Int32';
    case 'time':
    case 'timestamp':
    case 'date64':
      return 'Int64';
    // 64 bits of nanoseconds do not hold every year that the type has.
    case 'int96':
      return 'Int128';
    // Bytes are base64.
    case 'binary':
    case 'fixed':
      return 'String';
    default:
      return writeValueType(valueTypeOf(type));
  }
}

/**
 * SQL for what a stream keeps of a field, without loss, as {@link spooledType} has it. Objects, and
 * lists of what is no single value, are JSON text.
 * @param value SQL of the field as the engine reads it.
 * @param held what the file says it is; undefined when the file does not have it.
 * @param declared what the table says it is.
 * @param isNull SQL that is true where an object is null, if it is anywhere.
 * @throws {MillraceError} MALFORMED_BODY when the one cannot be the other.
 */
export function storedValue(
  value: string,
  held: Field | undefined,
  declared: Field,
  isNull?: string,
): string {
  const kind = storedKind(declared.type);
  if (isJsonText(kind)) {
    if (!held) return isJsonArray(kind) ? "'[]'" : "CAST(NULL, 'Nullable(String)')";
    const text = `toJSONString(${valueOf(value, held, declared, plainScalar, 0)})`;
    if (isJsonArray(kind)) return text;
    const tellsNull = held.type.kind === 'struct' && held.type.tellsNull;
    const none = isNull ?? (tellsNull ? `isNull(${value})` : undefined);
    return none === undefined ? `toNullable(${text})` : `if(${none}, NULL, ${text})`;
  }
  return held
    ? valueOf(value, held, declared, exactScalar, 0)
    : `defaultValueOfTypeName(${quoteText(spooledType(declared.type))})`;
}

/** Tells whether a field is a row's time, and not a number or text that may be in several units. */
export const isTimeField = ({ name, type: { kind } }: Field): boolean =>
  name === TIMESTAMP.name && ['timestamp', 'date', 'int96', 'date64'].includes(kind);

/** SQL for microseconds since 1970, for fields that are times. */
export const microsValue = (value: string, held: Field, declared: Field): string =>
  ticks(value, held, declared, 6);

/** The engine's type of what {@link valueOf} gives within JSON. */
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
      return `Nullable(${plainType(valueTypeOf(type))})`;
  }
}

function absent(type: FieldType): string {
  return `defaultValueOfTypeName(${quoteText(valueType(type))})`;
}

/** SQL of a single value. */
type OfScalar = (value: string, held: Field, declared: Field, type: ScalarType) => string;

function valueOf(
  value: string,
  held: Field,
  declared: Field,
  ofScalar: OfScalar,
  depth: number,
): string {
  const { type } = declared;
  const file = held.type;
  if (isScalar(type)) {
    if (!isScalar(file)) throw otherwise(held, declared);
    return ofScalar(value, held, declared, type);
  }
  const each = `v${depth}`;
  if (type.kind === 'list' && file.kind === 'list') {
    const element = valueOf(each, file.element, type.element, ofScalar, depth + 1);
    return element === each ? value : `arrayMap(${each} -> ${element}, ${value})`;
  }
  if (type.kind === 'map' && file.kind === 'map') {
    const key = valueOf(each, file.key, type.key, ofScalar, depth + 1);
    const entry = valueOf(each, file.value, type.value, ofScalar, depth + 1);
    return (
      `mapFromArrays(arrayMap(${each} -> toString(assumeNotNull(${key})), mapKeys(${value})),` +
      ` arrayMap(${each} -> ${entry}, mapValues(${value})))`
    );
  }
  if (type.kind === 'struct' && file.kind === 'struct') {
    const expressions = type.fields.map((field) => {
      const own = heldField(file.fields, field);
      if (!own) return absent(field.type);
      return valueOf(`tupleElement(${value}, ${quoteText(own.name)})`, own, field, ofScalar, depth);
    });
    return `CAST(tuple(${expressions.join(', ')}), ${quoteText(valueType(type))})`;
  }
  throw otherwise(held, declared);
}

/** Finds the field of a file that belongs to a declared field. */
export function heldField(fields: readonly Field[], declared: Field): Field | undefined {
  const { heldBy = declared } = declared;
  return fields.find((field) =>
    'name' in heldBy ? field.name === heldBy.name : field.id === heldBy.id,
  );
}

const plainScalar: OfScalar = (value, held, declared, type) =>
  plainValue(exactScalar(value, held, declared, type), valueTypeOf(type));

function exactScalar(value: string, held: Field, declared: Field, type: ScalarType): string {
  switch (type.kind) {
    case 'integer':
      only(held, declared, 'integer');
      return number(value, held, declared, type);
    case 'float':
      only(held, declared, 'float', 'integer');
      return number(value, held, declared, type);
    case 'decimal':
      only(held, declared, 'decimal', 'integer');
      return number(value, held, declared, type);
    case 'text':
      only(held, declared, 'text', 'binary', 'uuid');
      return held.type.kind === 'uuid' ? `toString(${value})` : value;
    case 'interval':
      only(held, declared, 'interval');
      return intervalText(value);
    case 'binary':
    case 'fixed':
      only(held, declared, 'binary', 'fixed', 'text');
      return `base64Encode(${value})`;
    case 'boolean':
    case 'uuid':
    case 'date':
    case 'nothing':
    case 'date64':
      only(held, declared, type.kind);
      return value;
    case 'int96': {
      only(held, declared, 'int96');
      const day = `toInt128(${SECONDS_A_DAY * 10 ** 9})`;
      return `(${julianDay(value)} * ${day} + ${nanosOfDay(value)})`;
    }
    case 'time':
      only(held, declared, 'time');
      return ticksOf(value, type.digits);
    case 'timestamp':
      return ticks(value, held, declared, type.digits);
  }
}

/**
 * A number of the type that the table says it is. Files of wider integers are read as far as each
 * value is one of the table's; other types must be narrower, as they are where a column was widened.
 */
function number(value: string, held: Field, declared: Field, type: ScalarType): string {
  if (held.type.kind === 'decimal' && held.type.wide) {
    const file = narrow(held.type);
    const decimal = `CAST(${decimalOfBytes(value, held.type.wide)}, ${quoteText(engineType(file))})`;
    return number(decimal, { ...held, type: file }, declared, type);
  }
  const wanted = engineType(narrow(type));
  if (engineType(held.type) === wanted) return value;
  const isNarrower = isScalar(held.type) && holds(valueTypeOf(type), valueTypeOf(held.type));
  if (isNarrower) return `CAST(${value}, ${quoteText(wanted)})`;
  if (held.type.kind === 'integer' && type.kind === 'integer')
    return `accurateCast(${value}, ${quoteText(wanted)})`;
  // More digits than it says are looked at where the value goes into its column.
  const isDecimal = held.type.kind === 'decimal' && type.kind === 'decimal' && held.type.scale === type.scale; // prettier-ignore
  if (isDecimal || (held.type.kind === 'integer' && type.kind === 'decimal'))
    return `CAST(${value}, ${quoteText(wanted)})`;
  throw otherwise(held, declared);
}

/** Decimals as they are once their bytes have been read. */
const narrow = <Type extends FieldType>(type: Type): Type =>
  type.kind === 'decimal' ? { ...type, wide: undefined } : type;

/** SQL for ticks since 1970 of a time or a date. */
function ticks(value: string, held: Field, declared: Field, digits: SecondDigits): string {
  only(held, declared, 'timestamp', 'date', 'int96', 'date64');
  const { type } = held;
  if (type.kind === 'date64') return inDigits(value, 3, digits);
  if (type.kind === 'date') {
    const day = SECONDS_A_DAY * 10 ** digits;
    const most = Number(INT64_MAX / BigInt(day));
    // Days beyond this range are a time that no column takes.
    return `if(abs(${value}) > ${most}, toInt64(${INT64_MAX}), toInt64(${value}) * ${day})`;
  }
  if (type.kind === 'int96') {
    const days = `${julianDay(value)} * toInt64(${SECONDS_A_DAY * 10 ** digits})`;
    return `(${days} + intDiv(${nanosOfDay(value)}, toInt64(${10 ** (9 - digits)})))`;
  }
  if (type.kind !== 'timestamp') throw otherwise(held, declared);
  return inDigits(ticksOf(value, type.digits), type.digits, digits);
}

/** Converts ticks to another unit, rounded down to a whole number. */
function inDigits(ticks: string, own: SecondDigits, digits: SecondDigits): string {
  if (own === digits) return ticks;
  const many = 10n ** BigInt(Math.abs(own - digits));
  const factor = `toInt64(${many})`;
  return own < digits
    ? // Ticks that would overflow 64 bits are a time that no column takes.
      `if(abs(${ticks}) > ${INT64_MAX / many}, toInt64(${INT64_MAX}), ${ticks} * ${factor})`
    : `intDiv(${ticks} - positiveModulo(${ticks}, ${factor}), ${factor})`;
}

function only(held: Field, declared: Field, ...kinds: FieldType['kind'][]): void {
  if (!kinds.includes(held.type.kind)) throw otherwise(held, declared);
}

const otherwise = (held: Field, declared: Field): MillraceError =>
  new MillraceError(
    'MALFORMED_BODY',
    `column ${JSON.stringify(declared.name)} should be ${declared.type.kind}, a data file has ${held.type.kind} there`,
  );
