import { z } from 'zod';
import type { TableName, WrittenTimes } from '@app/warehouse';

/**
 * The description that crosses the queue with a batch's bytes. Both ends read it here, and the
 * writer does not repeat decisions of acceptance.
 */
export interface Batch {
  readonly table: TableName;
  /**
   * The stream that it was accepted for. Batches of a deleted stream are dropped. Empty: there is
   * no stream yet.
   */
  readonly streamId: string;
  readonly columns: readonly string[];
  /** Lines of JSON only: see `ColumnarFile`. */
  readonly types?: readonly string[] | undefined;
  /** See `ColumnarFile`. */
  readonly acceptedAt?: number | undefined;
  /** See `ColumnarFile`. */
  readonly times?: WrittenTimes | undefined;
  /**
   * The ending of the name of a file with its bytes, by which the engine knows format and
   * compression.
   */
  readonly ending: string;
  readonly rows: number;
  /**
   * The size of the records before they became columns, which is about the memory that the rows
   * will take.
   */
  readonly recordBytes: number;
}

/** The ending of columnar files, and of batches from a version that knew no other. */
const NATIVE = '.native.zst';
const ENDING = /\.(?:native|(?:compact\.)?ndjson)(?:\.[a-z0-9]+)?$/;

/** JSON within a header. A foreign message may have any text there. */
const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'no JSON' });
    return z.NEVER;
  }
});
const texts = json.pipe(z.array(z.string()));
/**
 * The types of columns. A wide table has 2,000 columns of few types, and a header must be small, so
 * each type stands there once, with its number for each column.
 */
const types = json
  .pipe(z.tuple([z.array(z.string()), z.array(z.number())]))
  .transform(([names, columns]) => columns.map((index) => names[index]))
  .pipe(z.array(z.string()));
const ending = z
  .string()
  .refine((text) => ENDING.exec(text)?.index === 0)
  .default(NATIVE);
const headers = z
  .object({
    database: z.string().min(1),
    table: z.string().min(1),
    streamId: z.string(),
    columns: texts,
    types: types.optional(),
    acceptedAt: z.coerce.number().int().optional(),
    times: z.enum(['microseconds', 'by magnitude']).optional(),
    ending,
    rows: z.coerce.number().int().positive(),
    recordBytes: z.coerce.number().int().nonnegative(),
  })
  .refine(({ columns, types }) => types === undefined || types.length === columns.length - 1);

export function toHeaders({
  table,
  streamId,
  columns,
  types,
  acceptedAt,
  times,
  ending,
  rows,
  recordBytes,
}: Batch): Record<string, string> {
  return {
    database: table.database,
    table: table.table,
    streamId,
    columns: JSON.stringify(columns),
    ...(types && { types: indexed(types) }),
    ...(acceptedAt !== undefined && { acceptedAt: String(acceptedAt) }),
    ...(times && { times }),
    ending,
    rows: String(rows),
    recordBytes: String(recordBytes),
  };
}

function indexed(types: readonly string[]): string {
  const names = [...new Set(types)];
  const indexes = new Map(names.map((name, index) => [name, index]));
  return JSON.stringify([names, types.map((name) => indexes.get(name))]);
}

/** @throws {z.ZodError} when the record is no batch of ours. */
export const fromHeaders = (record: Readonly<Record<string, string>>): Batch =>
  batchOf(headers.parse(record));

/** Reads a batch. The result is undefined when the record is no batch of ours. */
export function readableBatch(record: Readonly<Record<string, string>>): Batch | undefined {
  const read = headers.safeParse(record);
  return read.success ? batchOf(read.data) : undefined;
}

function batchOf({ database, table, ...rest }: z.infer<typeof headers>): Batch {
  return { table: { database, table }, ...rest };
}

/** The ending of the name of a batch's file. */
export function endingOf(file: string): string {
  const found = ENDING.exec(file)?.[0];
  if (found === undefined) throw new Error(`${file} is named like no batch`);
  return found;
}

/** Does the same for a batch's bytes, even if the other headers cannot be read. */
export const endingIn = (record: Readonly<Record<string, string>>): string =>
  ending.catch(NATIVE).parse(record.ending);
