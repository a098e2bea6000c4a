import { fieldsWithin, type Field, type FieldType } from '@app/arrow';
import { bytesType, INTERVAL_BYTES } from '@app/parquet';
import type { ValueType } from '@app/streams';
import { quoteIdentifier } from '@app/warehouse';

/** Types of a single value. */
export type ScalarType = Exclude<FieldType, { readonly kind: 'list' | 'struct' | 'map' }>;

export function isScalar(type: FieldType): type is ScalarType {
  return type.kind !== 'list' && type.kind !== 'struct' && type.kind !== 'map';
}

/**
 * Gives the type of a column that holds its values exactly.
 */
export function valueTypeOf(type: ScalarType): ValueType {
  switch (type.kind) {
    case 'integer':
      return { family: 'integer', bits: type.bits, isSigned: type.signed };
    case 'float':
      return { family: 'float', bits: type.bits };
    case 'decimal':
      return { family: 'decimal', precision: type.precision, scale: type.scale };
    case 'time':
      return { family: 'time', digits: type.digits };
    case 'timestamp':
      return { family: 'timestamp', digits: type.digits, isUtc: type.utc };
    case 'int96':
      return { family: 'timestamp', digits: 9, isUtc: true };
    case 'date64':
      return { family: 'timestamp', digits: 3, isUtc: false };
    case 'boolean':
    case 'uuid':
    case 'date':
      return { family: type.kind };
    case 'text':
    case 'binary':
      return { family: type.kind };
    case 'interval':
      return { family: 'text' };
    case 'fixed':
      return { family: 'binary', bytes: type.bytes };
    case 'nothing':
      return { family: 'integer', bits: 32, isSigned: true };
  }
}

/** Tells whether the field has text that comes unchecked from the file. */
export function holdsText(type: FieldType): boolean {
  return type.kind === 'text' || fieldsWithin(type).some((field) => holdsText(field.type));
}

/** Counts the fields of structs within it, at every depth. */
export function countFields(type: FieldType): number {
  const own = type.kind === 'struct' ? type.fields.length : 0;
  return fieldsWithin(type).reduce((sum, field) => sum + countFields(field.type), own);
}

/** The type by which the engine's reader is told to read a field of a file. */
export function engineType(type: FieldType): string {
  switch (type.kind) {
    case 'list':
      return `Array(${engineType(type.element.type)})`;
    case 'struct':
      // Without a mask for the struct itself, the values below a null struct would be read as the
      // file happens to have them.
      return type.tellsNull
        ? `Nullable(Tuple(${structure(type.fields)}))`
        : `Tuple(${structure(type.fields)})`;
    case 'map':
      return `Map(${engineScalar(type.key.type)}, ${engineType(type.value.type)})`;
    default:
      return `Nullable(${engineScalar(type)})`;
  }
}

/** Names and types of fields, as `file(…)` takes them. */
export function structure(fields: readonly Field[]): string {
  return fields.map(({ name, type }) => `${quoteIdentifier(name)} ${engineType(type)}`).join(', ');
}

function engineScalar(type: FieldType): string {
  switch (type.kind) {
    case 'integer':
      return `${type.signed ? '' : 'U'}Int${type.bits}`;
    case 'float':
      return `Float${type.bits}`;
    case 'boolean':
      return 'Bool';
    case 'text':
    case 'binary':
      return 'String';
    case 'fixed':
      return `FixedString(${type.bytes})`;
    case 'uuid':
      return 'UUID';
    // Read as a time, it would lose the times that 64 bits of nanoseconds do not hold.
    case 'int96':
      return 'FixedString(12)';
    case 'interval':
      return `FixedString(${INTERVAL_BYTES})`;
    case 'nothing':
      return 'Int32';
    // The field is read as a duration, which the rewritten schema calls it.
    case 'date64':
      return 'Int64';
    // The engine's own dates end in 2299; as a number of days every date is read.
    case 'date':
      return 'Int32';
    case 'time':
    case 'timestamp':
      return `DateTime64(${type.digits}, 'UTC')`;
    case 'decimal':
      return type.wide ? bytesType(type.wide) : `Decimal(${type.precision}, ${type.scale})`;
    default:
      return engineType(type);
  }
}
