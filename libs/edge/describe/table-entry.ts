import { z } from 'zod';
import { arrowDataType } from '../arrow-data-type.js';
import { TABLE_FORMATS, type DescribedTable, type TableFormat } from '../table-description.js';
import { sheetExport } from '../sources/sheets/google-sheet.js';
import { present, readOptions } from './format-options.js';
import { formatInUri } from './names-in-uri.js';
import { strict } from './strict.js';

const NAME_MAX_BYTES = 127;
export const tableName = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_.-]{1,${NAME_MAX_BYTES}}$`),
    `want a name of 1 to ${NAME_MAX_BYTES} letters (a-z, A-Z), digits, "_", "-" or "."`,
  );

const column = strict({
  name: z.string().min(1),
  data_type: arrowDataType,
  nullable: z.boolean().default(false),
}).transform((given) => ({
  name: given.name,
  dataType: given.data_type,
  nullable: given.nullable,
}));
const columns = z.array(column).min(1);

const NANOSECONDS = 1e9;
/** `{secs, nanos}` as ROAPI has it, or seconds. */
export const seconds = z.union(
  [
    z.number().positive(),
    strict({ secs: z.int().min(0), nanos: z.int().min(0).default(0) })
      .transform(({ secs, nanos }) => secs + nanos / NANOSECONDS)
      .refine((interval) => interval > 0),
  ],
  { error: 'want a number of seconds more than 0, or {secs, nanos}' },
);

const ioOption = strict({
  /** ROAPI spells this key so, and accepts no other. */
  protcol: z.literal('http').optional(),
  protocol: z.literal('http').optional(),
  headers: z.record(z.string(), z.string()).default({}),
});

/** Where a table's data is and how it is read. Tables and key-value stores share these fields. */
const SOURCE = {
  uri: z.string().min(1, 'want a path or a URI'),
  option: z
    .looseObject({ format: z.enum([...TABLE_FORMATS, 'jsonl', 'google_spreadsheet']).optional() })
    .default({}),
  schema: strict({ columns }).optional(),
  schema_from_files: z.array(z.string().min(1)).min(1).optional(),
  partition_columns: columns.optional(),
  reload_interval: seconds.optional(),
  io_option: ioOption.optional(),
  /** The number of rows that ROAPI reads at a time. It has no effect here. */
  batch_size: z.int().positive().optional(),
};
type Source = z.output<z.ZodObject<typeof SOURCE>>;

/** The keys of an entry besides `option`, its `name` and its `uri`. */
export const ENTRY_KEYS: readonly string[] = Object.keys(SOURCE).filter(
  (key) => key !== 'uri' && key !== 'option',
);

/** An entry of `tables` in a configuration file. */
export const tableEntry = strict({ name: tableName, ...SOURCE }).transform(
  (entry, context): DescribedTable => describe(entry.name, entry, context),
);

/** An entry of `kvstores`: a table, of which one column is looked up by another. */
export const storeEntry = strict({
  name: tableName,
  ...SOURCE,
  key: z.string().min(1),
  value: z.string().min(1),
}).transform((entry, context): DescribedStore => ({
  name: entry.name,
  key: entry.key,
  value: entry.value,
  table: describe(entry.name, entry, context),
}));

/**
 * `GET /api/kv/{name}/{key}` answers the column `value` of the row whose column `key` is the key.
 */
export interface DescribedStore {
  readonly name: string;
  readonly key: string;
  readonly value: string;
  readonly table: DescribedTable;
}

function describe(name: string, entry: Source, context: z.RefinementCtx): DescribedTable {
  const { format: given, ...option } = entry.option;
  const format = formatOf(given, entry.uri);
  const wrong = (path: readonly PropertyKey[], message: string) => {
    context.addIssue({ code: 'custom', path: [...path], message });
    return z.NEVER;
  };
  if ('problem' in format) return wrong(['option', 'format'], format.problem);
  for (const [key, remedy] of Object.entries(GOOGLE_KEYS))
    if (given === 'google_spreadsheet' && key in option) return wrong(['option', key], remedy);
  const read = readOptions(format.format, option);
  if ('error' in read) {
    for (const issue of read.error.issues) {
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
      wrong(['option', ...issue.path, ...unknown], issue.message);
    }
    return z.NEVER;
  }
  const { options, materialize } = read.found;
  if (options.format === 'json' && options.arrayEncoded && !entry.schema)
    return wrong(['option', 'array_encoded'], 'needs the columns: say schema');
  return {
    name,
    uri: entry.uri,
    options,
    ...present('materialize', materialize),
    ...present('columns', entry.schema?.columns),
    ...present('schemaFromFiles', entry.schema_from_files),
    ...present('partitionColumns', entry.partition_columns),
    ...present('reloadSeconds', entry.reload_interval),
    ...present('headers', entry.io_option?.headers),
  };
}

/** ROAPI has these options for Google's sheets, and nobody reads them here. */
const GOOGLE_KEYS: Readonly<Record<string, string>> = {
  application_secret_path:
    'service accounts do not work here; share the sheet with anybody who has its link, and leave this out',
  sheet_title: 'say the sheet by its number, at the end of the uri: #gid=<number>',
};

function formatOf(
  given: TableFormat | 'jsonl' | 'google_spreadsheet' | undefined,
  uri: string,
): { readonly format: TableFormat } | { readonly problem: string } {
  const isSheet = sheetExport(uri) !== undefined;
  if (given === 'google_spreadsheet' && !isSheet)
    return { problem: 'want the address of a sheet, …/spreadsheets/d/<id>/edit#gid=<number>' };
  if (given === 'google_spreadsheet' || (given === undefined && isSheet)) return { format: 'csv' };
  const format = given === 'jsonl' ? 'ndjson' : (given ?? formatInUri(uri));
  if (format) return { format };
  return {
    problem: `the uri does not say which format it has; say one of ${TABLE_FORMATS.join(', ')}`,
  };
}
