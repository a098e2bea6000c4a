import { quoteIdentifier } from '@app/warehouse';

/** Decimal places of a second that a time counts: milli-, micro- or nanoseconds. */
export type SecondDigits = 3 | 6 | 9;

/** What a field of a table with a schema of its own holds, whichever format says so. */
export type FieldType =
  | { readonly kind: 'integer'; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  /** `int96`: a timestamp as files of old have it, nanoseconds of a Julian day. */
  | { readonly kind: 'boolean' | 'text' | 'binary' | 'uuid' | 'date' | 'int96' }
  | { readonly kind: 'fixed'; readonly bytes: number }
  | { readonly kind: 'time'; readonly digits: SecondDigits }
  | { readonly kind: 'timestamp'; readonly digits: SecondDigits; readonly utc: boolean }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'list'; readonly element: Field }
  | { readonly kind: 'struct'; readonly fields: readonly Field[] }
  | { readonly kind: 'map'; readonly key: Field; readonly value: Field };

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Its number in the file that has it, where fields are numbered. */
  readonly id?: number | undefined;
  /** Of a table's field: what its files know it by, where that is not its name. */
  readonly heldBy?: { readonly id: number } | { readonly name: string } | undefined;
}

/** Types of a single value. */
export type ScalarType = Exclude<FieldType, { readonly kind: 'list' | 'struct' | 'map' }>;

export function isScalar(type: FieldType): type is ScalarType {
  return type.kind !== 'list' && type.kind !== 'struct' && type.kind !== 'map';
}

/** Whether there is text in it that comes as it is. */
export function holdsText(type: FieldType): boolean {
  switch (type.kind) {
    case 'list':
      return holdsText(type.element.type);
    case 'struct':
      return type.fields.some((field) => holdsText(field.type));
    case 'map':
      return holdsText(type.key.type) || holdsText(type.value.type);
    default:
      return type.kind === 'text';
  }
}

/** How many fields are within it, at whatever depth. */
export function countFields(type: FieldType): number {
  switch (type.kind) {
    case 'list':
      return countFields(type.element.type);
    case 'struct':
      return type.fields.reduce((sum, field) => sum + 1 + countFields(field.type), 0);
    case 'map':
      return countFields(type.key.type) + countFields(type.value.type);
    default:
      return 0;
  }
}

/** The type by which the engine's reader is told to read a field of a Parquet file. */
export function engineType(type: FieldType): string {
  switch (type.kind) {
    case 'list':
      return `Array(${engineType(type.element.type)})`;
    case 'struct':
      return `Tuple(${structure(type.fields)})`;
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
    // As a time the engine reads only those that 64 bits of nanoseconds hold.
    case 'int96':
      return 'FixedString(12)';
    // The engine's own dates end in 2299; as a number of days every date is read.
    case 'date':
      return 'Int32';
    case 'time':
    case 'timestamp':
      return `DateTime64(${type.digits}, 'UTC')`;
    case 'decimal':
      return `Decimal(${type.precision}, ${type.scale})`;
    default:
      return engineType(type);
  }
}
