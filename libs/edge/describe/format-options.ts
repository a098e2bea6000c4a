import { z } from 'zod';
import type { TableFormat, TableOptions } from '../table-description.js';
import { strict } from './strict.js';

/** Names that people write for a tab, because a tab is invisible. */
const TABS = ['tab', '\\t'];
const delimiter = z
  .string()
  .transform((text) => (TABS.includes(text) ? '\t' : text))
  .refine((text) => Buffer.byteLength(text) === 1, 'want one character of one byte, or "tab"');

const index = z.int().min(0);

/** RFC 6901. */
const pointer = z
  .string()
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, 'want a JSON pointer, such as "/data/rows" (RFC 6901)');

/** Every format takes these. `use_memory_table` is ROAPI's name of `materialize`. */
const COPIED = { materialize: z.boolean().optional(), use_memory_table: z.boolean().optional() };

/** Options stand beside their format. */
const option = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => strict(shape, ['format']);

const plain = option(COPIED).transform(copied);
const sheet = option({
  ...COPIED,
  sheet_name: z.string().min(1).optional(),
  rows_range_start: index.optional(),
  rows_range_end: index.optional(),
  columns_range_start: index.optional(),
  columns_range_end: index.optional(),
  schema_inference_lines: index.optional(),
}).transform((given) => ({
  ...copied(given),
  ...present('sheetName', given.sheet_name),
  ...present('rowsStart', given.rows_range_start),
  ...present('rowsEnd', given.rows_range_end),
  ...present('columnsStart', given.columns_range_start),
  ...present('columnsEnd', given.columns_range_end),
  ...present('inferenceRows', given.schema_inference_lines),
}));
const database = option({ ...COPIED, table: z.string().min(1).optional() }).transform((given) => ({
  ...copied(given),
  ...present('table', given.table),
}));

const SCHEMAS = {
  csv: option({
    ...COPIED,
    has_header: z.boolean().default(true),
    delimiter: delimiter.optional(),
    projection: z.array(index).min(1).optional(),
  }).transform((given) => ({
    ...copied(given),
    hasHeader: given.has_header,
    ...present('delimiter', given.delimiter),
    ...present('projection', given.projection),
  })),
  json: option({
    ...COPIED,
    pointer: pointer.optional(),
    array_encoded: z.boolean().default(false),
  }).transform((given) => ({
    ...copied(given),
    arrayEncoded: given.array_encoded,
    ...present('pointer', given.pointer),
  })),
  ndjson: plain,
  parquet: plain,
  arrow: plain,
  arrows: plain,
  delta: plain,
  iceberg: plain,
  xls: sheet,
  xlsx: sheet,
  xlsb: sheet,
  ods: sheet,
  sqlite: database,
  mysql: database,
  postgres: database,
} satisfies Record<TableFormat, z.ZodType>;

interface ReadOptions {
  readonly options: TableOptions;
  readonly materialize?: boolean;
}

/** Reads `option` of a table, without its `format`. */
export function readOptions(
  format: TableFormat,
  given: unknown,
): { readonly found: ReadOptions } | { readonly error: z.ZodError } {
  const read = SCHEMAS[format].safeParse(given);
  if (!read.success) return { error: read.error };
  const { materialize, ...rest } = read.data;
  // Each schema gives what its own format has: the union is one by construction.
  const options = { format, ...rest } as TableOptions;
  return { found: { options, ...present('materialize', materialize) } };
}

interface Copied {
  readonly materialize?: boolean | undefined;
  readonly use_memory_table?: boolean | undefined;
}

function copied({ materialize, use_memory_table: alias }: Copied): { materialize?: boolean } {
  return present('materialize', materialize ?? alias);
}

/**
 * Gives the property only if it has a value: with `exactOptionalPropertyTypes`, absent is not
 * undefined.
 */
export function present<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);
}
