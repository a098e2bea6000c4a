import { quoteIdentifier } from '@app/warehouse';
import { z } from 'zod';
import type { ArrowDataType } from '../arrow-data-type.js';
import type { DescribedColumn } from '../table-description.js';

/** A type as the hosted service's `GET /api/{org}/schema` writes it; of a list or struct only what matters here. */
type HostedType = string | { readonly [kind: string]: unknown };
const hostedType: z.ZodType<HostedType> = z.union([z.string(), z.record(z.string(), z.unknown())]);
const field = z.object({ name: z.string(), data_type: hostedType, nullable: z.boolean() });
const listed = z.object({ data_type: hostedType });

/** Answer of `GET /api/{org}/schema/{stream}`. */
export const hostedSchema = z.object({ fields: z.array(field) });

/** Answer of `GET /api/{org}/schema`. */
export const hostedSchemas = z.record(z.string(), hostedSchema);

/**
 * Columns of a hosted stream, as its rows are read here. Objects are `JSON` columns on both sides:
 * which keys they have is known from their values, and is no change of the schema.
 */
export function followedColumns(
  fields: readonly z.output<typeof field>[],
): readonly DescribedColumn[] {
  return fields.map(({ name, data_type: type, nullable }) => ({
    name,
    dataType: dataTypeOf(type),
    nullable,
  }));
}

const ANY_OBJECT: ArrowDataType = { Struct: [] };
const SAME = /^(?:U?Int(?:8|16|32|64)|Float(?:32|64)|Boolean|Binary)$/;

function dataTypeOf(type: HostedType): ArrowDataType {
  if (typeof type === 'string') return SAME.test(type) ? (type as ArrowDataType) : 'Utf8';
  if ('Timestamp' in type) return { Timestamp: ['Microsecond', 'UTC'] };
  if ('Struct' in type || 'Map' in type) return ANY_OBJECT;
  if ('FixedSizeBinary' in type) return 'Binary';
  const item = listed.safeParse(type['List']);
  if (!item.success) return 'Utf8';
  const { data_type: elementType } = item.data;
  const isOfLists = typeof elementType === 'object' && 'List' in elementType;
  const element = isOfLists ? 'Utf8' : dataTypeOf(elementType);
  return { List: { name: 'item', data_type: element, nullable: typeof element === 'string' } };
}

/**
 * The SQL that fetches a column. Bytes are fetched as the base64 that they are to every statement
 * there, and here; Parquet would have them raw. Structs and maps are fetched as the JSON that they
 * are to every statement, and lists of lists as lists of JSON.
 */
export function fetched({ name, dataType }: DescribedColumn): string {
  const column = quoteIdentifier(name);
  const isList = typeof dataType === 'object' && 'List' in dataType;
  const single = isList ? dataType.List.data_type : dataType;
  const as = (type: string): string => `CAST(${column} AS ${type}) AS ${column}`;
  if (single === 'Binary') return as(isList ? 'Array(Nullable(String))' : 'String');
  if (typeof single === 'object' && 'Struct' in single) return as(isList ? 'Array(JSON)' : 'JSON');
  return isList && single === 'Utf8' ? `arraySlice(${column}, 1) AS ${column}` : column;
}

/**
 * Tells whether `after` has all columns of `before` unchanged: rows that were read by these columns
 * can stay.
 */
export function extendsColumns(
  after: readonly DescribedColumn[],
  before: readonly DescribedColumn[],
): boolean {
  const now = new Map(after.map((column) => [column.name, JSON.stringify(column)]));
  return before.every((column) => now.get(column.name) === JSON.stringify(column));
}
