import type { SchemaElement } from 'hyparquet';
import {
  areWide,
  decimalBytes,
  footerOf,
  INTERVAL_BYTES,
  holdsValues,
  notParquet,
  nullableObjects,
  refuseTooWide,
  type NullableObject,
} from '@app/parquet';
import type { Field, FieldType, SecondDigits } from '@app/arrow';
import { isScalar } from './field-type.js';

/** The description that a Parquet file has of itself. */
interface ParquetFooter {
  readonly fields: readonly Field[];
  readonly rows: number;
  readonly objects: readonly NullableObject[];
}

const NESTED_MAX = 100;

/**
 * Reads a Parquet file's footer.
 * @param name what to call the file in a message.
 * @throws {MillraceError} MALFORMED_BODY when it is no Parquet file, or has columns that nothing here can hold.
 */
export async function readParquetFooter(file: string, name: string): Promise<ParquetFooter> {
  const { schema, rows } = await footerOf(file, name);
  const [root, ...rest] = schema;
  const elements = rest.values();
  const fields = take(elements, root?.num_children ?? 0, name, 0);
  if (rows < 0n) throw notParquet(name, `its footer says that it has ${rows} rows`);
  return { fields: fields.map(asList), rows: Number(rows), objects: nullableObjects(schema) };
}

interface Element extends Field {
  readonly repeated: boolean;
}

/** Takes so many fields from the list, each with all that is nested in it. */
function take(
  elements: Iterator<SchemaElement>,
  count: number,
  file: string,
  depth: number,
): Element[] {
  if (depth > NESTED_MAX) throw notParquet(file, `its schema is nested deeper than ${NESTED_MAX}`);
  const fields: Element[] = [];
  while (fields.length < count) {
    const { value } = elements.next() as IteratorResult<SchemaElement, undefined>;
    if (!value) throw notParquet(file, 'its schema ends too early');
    const { name, field_id: id, num_children: count = 0 } = value;
    // The library returns whatever it finds, of any type.
    if (typeof (name as unknown) !== 'string' || name === '')
      throw notParquet(file, 'a column has no name');
    if (id !== undefined && !Number.isInteger(id))
      throw notParquet(file, `column ${JSON.stringify(name)} has no number for an id`);
    if (!Number.isInteger(count) || count < 0)
      throw notParquet(file, `column ${JSON.stringify(name)} has no number of children`);
    const children = take(elements, count, file, depth + 1);
    const repeated = value.repetition_type === 'REPEATED';
    fields.push({ name, id, type: typeOf(value, children, file), repeated });
  }
  return fields;
}

function typeOf(element: SchemaElement, children: readonly Element[], file: string): FieldType {
  if (holdsValues(element)) return scalarOf(element, file);
  const annotation = element.logical_type?.type ?? element.converted_type;
  const [only] = children;
  if (annotation === 'LIST' && only && children.length === 1 && only.repeated)
    return { kind: 'list', element: elementOf(element, only) };
  if (annotation === 'MAP' || annotation === 'MAP_KEY_VALUE') {
    const pair = only?.type.kind === 'struct' ? only.type.fields : [];
    const [key, value] = pair;
    if (key && value && pair.length === 2) {
      if (!isScalar(key.type))
        throw notParquet(
          file,
          `column ${JSON.stringify(element.name)} is a map whose keys are no single values, which nothing here holds: make a list of structs of it`,
        );
      return { kind: 'map', key, value };
    }
  }
  return { kind: 'struct', fields: children.map(asList) };
}

/** Old writers left a level out. These are the format's rules for recognizing that. */
function elementOf({ name }: SchemaElement, repeated: Element): Field {
  const { type } = repeated;
  if (type.kind !== 'struct') return repeated;
  const [only] = type.fields;
  const isElement =
    type.fields.length !== 1 || repeated.name === 'array' || repeated.name === `${name}_tuple`;
  return isElement || !only ? repeated : only;
}

/** A repeated field by itself is a list. */
const asList = (field: Element): Field =>
  field.repeated ? { ...field, type: { kind: 'list', element: field } } : field;

function scalarOf(element: SchemaElement, file: string): FieldType {
  const { type, logical_type: logical, converted_type: converted } = element;
  if (logical?.type === 'NULL') return { kind: 'nothing' };
  const integer = INTEGERS[logical?.type === 'INTEGER' ? integerName(logical) : (converted ?? '')];
  if (integer) return { kind: 'integer', ...integer };
  if (logical?.type === 'INTEGER')
    throw notParquet(
      file,
      `column ${JSON.stringify(element.name)} has an integer of no known size`,
    );
  if (logical?.type === 'DECIMAL' || converted === 'DECIMAL') {
    const { precision = 0, scale = 0 } = element;
    if (!Number.isInteger(precision) || !Number.isInteger(scale))
      throw notParquet(file, `column ${JSON.stringify(element.name)} has no precision`);
    const bytes = decimalBytes(element);
    const wide = bytes && areWide(bytes) ? bytes : undefined;
    if (wide) refuseTooWide(element.name, wide, file);
    return { kind: 'decimal', precision, scale, ...(wide && { wide }) };
  }
  if (logical?.type === 'DATE' || converted === 'DATE') return { kind: 'date' };
  if (logical?.type === 'TIMESTAMP' || logical?.type === 'TIME') {
    const digits = DIGITS[logical.unit];
    if (logical.type === 'TIME') return { kind: 'time', digits };
    return { kind: 'timestamp', digits, utc: logical.isAdjustedToUTC };
  }
  const time = TIMES[converted ?? ''];
  if (time) return time;
  if (logical?.type === 'UUID') return { kind: 'uuid' };
  const annotation = logical?.type ?? converted;
  if (type === 'BYTE_ARRAY' && TEXTS.has(annotation ?? '')) return { kind: 'text' };
  switch (type) {
    case 'BOOLEAN':
      return { kind: 'boolean' };
    case 'INT32':
      return { kind: 'integer', bits: 32, signed: true };
    case 'INT64':
      return { kind: 'integer', bits: 64, signed: true };
    case 'INT96':
      return { kind: 'int96' };
    case 'FLOAT':
      return { kind: 'float', bits: 32 };
    case 'DOUBLE':
      return { kind: 'float', bits: 64 };
    case 'BYTE_ARRAY':
      return { kind: 'binary' };
    case 'FIXED_LEN_BYTE_ARRAY':
      if (logical?.type === 'FLOAT16') return { kind: 'float', bits: 32 };
      if (element.type_length === undefined || !Number.isInteger(element.type_length))
        throw notParquet(file, `column ${JSON.stringify(element.name)} has no length`);
      if (annotation === 'INTERVAL' && element.type_length === INTERVAL_BYTES)
        return { kind: 'interval' };
      return { kind: 'fixed', bytes: element.type_length };
    default:
      throw notParquet(file, `column ${JSON.stringify(element.name)} has no type`);
  }
}

const integerName = ({
  bitWidth,
  isSigned,
}: {
  readonly bitWidth: number;
  readonly isSigned: boolean;
}): string => `${isSigned ? '' : 'U'}INT_${bitWidth}`;

const INTEGERS: Readonly<
  Record<string, { readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }>
> = {
  INT_8: { bits: 8, signed: true },
  INT_16: { bits: 16, signed: true },
  INT_32: { bits: 32, signed: true },
  INT_64: { bits: 64, signed: true },
  UINT_8: { bits: 8, signed: false },
  UINT_16: { bits: 16, signed: false },
  UINT_32: { bits: 32, signed: false },
  UINT_64: { bits: 64, signed: false },
};

const TIMES: Readonly<Record<string, FieldType>> = {
  TIME_MILLIS: { kind: 'time', digits: 3 },
  TIME_MICROS: { kind: 'time', digits: 6 },
  TIMESTAMP_MILLIS: { kind: 'timestamp', digits: 3, utc: true },
  TIMESTAMP_MICROS: { kind: 'timestamp', digits: 6, utc: true },
};

const DIGITS: Readonly<Record<'MILLIS' | 'MICROS' | 'NANOS', SecondDigits>> = {
  MILLIS: 3,
  MICROS: 6,
  NANOS: 9,
};

const TEXTS: ReadonlySet<string> = new Set(['STRING', 'UTF8', 'ENUM', 'JSON']);
