import { quoteIdentifier, quoteText } from '@app/warehouse';
import { z } from 'zod';

/** Types without parameters, by Arrow's names, with the engine's. */
const SIMPLE = {
  Null: 'Nothing',
  Boolean: 'Bool',
  Int8: 'Int8',
  Int16: 'Int16',
  Int32: 'Int32',
  Int64: 'Int64',
  UInt8: 'UInt8',
  UInt16: 'UInt16',
  UInt32: 'UInt32',
  UInt64: 'UInt64',
  Float16: 'Float32',
  Float32: 'Float32',
  Float64: 'Float64',
  Utf8: 'String',
  LargeUtf8: 'String',
  Utf8View: 'String',
  Binary: 'String',
  LargeBinary: 'String',
  BinaryView: 'String',
  Date32: 'Date32',
  Date64: "DateTime64(3, 'UTC')",
} as const;

const BYTES: ReadonlySet<string> = new Set(['Binary', 'LargeBinary', 'BinaryView']);

/** The digits behind the second. */
const UNITS = { Second: 0, Millisecond: 3, Microsecond: 6, Nanosecond: 9 } as const;
type TimeUnit = keyof typeof UNITS;

/** Arrow's type as its Rust library writes it in JSON: `"Int64"`, `{"Timestamp":["Second",null]}`. */
export type ArrowDataType =
  | keyof typeof SIMPLE
  | { readonly Timestamp: readonly [TimeUnit, string | null] }
  | { readonly Time32: TimeUnit }
  | { readonly Time64: TimeUnit }
  | { readonly Duration: TimeUnit }
  | { readonly Decimal128: readonly [number, number] }
  | { readonly List: ArrowListItem }
  | { readonly LargeList: ArrowListItem }
  | { readonly Struct: readonly ArrowListItem[] };

export interface ArrowListItem {
  readonly name: string;
  readonly data_type: ArrowDataType;
  readonly nullable: boolean;
}

const simple = Object.keys(SIMPLE) as (keyof typeof SIMPLE)[];
const unit = z.enum(Object.keys(UNITS) as TimeUnit[]);
const DECIMAL_DIGITS = 38;
const digits = z.int().min(0).max(DECIMAL_DIGITS);

const parametric: z.ZodType<Exclude<ArrowDataType, string>> = z.lazy(() =>
  z.union([
    z.strictObject({ Timestamp: z.tuple([unit, z.string().nullable()]) }),
    z.strictObject({ Time32: unit }),
    z.strictObject({ Time64: unit }),
    z.strictObject({ Duration: unit }),
    z.strictObject({ Decimal128: z.tuple([digits.min(1), digits]) }),
    z.strictObject({ List: listItem }),
    z.strictObject({ LargeList: listItem }),
    z.strictObject({ Struct: z.array(listItem) }),
  ]),
);

/** Reads a type from a configuration file. */
export const arrowDataType: z.ZodType<ArrowDataType> = z.lazy(() =>
  z.union([z.enum(simple), parametric], {
    error: `want one of Arrow's types: ${simple.join(', ')}; or Timestamp, Time32, Time64, Duration, Decimal128, List, Struct with their parameters`,
  }),
);

const listItem: z.ZodType<ArrowListItem> = z.lazy(() =>
  z.strictObject({
    name: z.string().default('item'),
    data_type: arrowDataType,
    nullable: z.boolean().default(false),
  }),
);

/**
 * The engine's type for values of it. Lists, and structs with declared fields, cannot be null
 * there: `nullable` is not asked for them.
 * @param bytes the engine's type for bytes
 */
export function engineType(type: ArrowDataType, nullable: boolean, bytes = 'String'): string {
  // A struct without declared fields: it takes whatever the objects have.
  if (isAnyObject(type)) return nullable ? 'Nullable(JSON)' : 'JSON';
  const composite = compositeType(type, bytes);
  if (composite !== undefined) return composite;
  const plain = typeof type === 'string' && BYTES.has(type) ? bytes : plainType(type);
  return nullable ? `Nullable(${plain})` : plain;
}

const isAnyObject = (type: ArrowDataType): boolean =>
  typeof type === 'object' && 'Struct' in type && type.Struct.length === 0;

function compositeType(type: ArrowDataType, bytes: string): string | undefined {
  if (typeof type === 'string') return undefined;
  if ('List' in type) return `Array(${itemType(type.List, bytes)})`;
  if ('LargeList' in type) return `Array(${itemType(type.LargeList, bytes)})`;
  if (!('Struct' in type)) return undefined;
  const fields = type.Struct.map(
    (field) => `${quoteIdentifier(field.name)} ${itemType(field, bytes)}`,
  );
  return `Tuple(${fields.join(', ')})`;
}

function itemType({ data_type: type, nullable }: ArrowListItem, bytes: string): string {
  return engineType(type, nullable, bytes);
}

function plainType(type: ArrowDataType): string {
  if (typeof type === 'string') return SIMPLE[type];
  if ('Timestamp' in type) {
    const [precision, zone] = type.Timestamp;
    const zoned = zone === null ? '' : `, ${quoteText(zone)}`;
    return `DateTime64(${UNITS[precision]}${zoned})`;
  }
  if ('Decimal128' in type) return `Decimal(${type.Decimal128.join(', ')})`;
  // These are times of day and durations. The engine has no type for them that every format can
  // read.
  return 'Int64';
}
