import { z } from 'zod';
import type { TableName } from '@app/warehouse';

/**
 * What crosses the queue with a batch's bytes: both ends read it here, and the writer never works
 * out again what acceptance has decided.
 */
export interface Batch {
  readonly table: TableName;
  /** The stream it was accepted for: a deleted stream's batches go nowhere. Empty: none yet. */
  readonly streamId: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Size of the records before they became columns: what the rows will take in memory, about. */
  readonly recordBytes: number;
}

const headers = z.object({
  database: z.string().min(1),
  table: z.string().min(1),
  streamId: z.string(),
  columns: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
  rows: z.coerce.number().int().positive(),
  recordBytes: z.coerce.number().int().nonnegative(),
});

export function toHeaders({
  table,
  streamId,
  columns,
  rows,
  recordBytes,
}: Batch): Record<string, string> {
  return {
    database: table.database,
    table: table.table,
    streamId,
    columns: JSON.stringify(columns),
    rows: String(rows),
    recordBytes: String(recordBytes),
  };
}

/** @throws {z.ZodError} when the record is no batch of ours. */
export function fromHeaders(record: Readonly<Record<string, string>>): Batch {
  const { database, table, ...rest } = headers.parse(record);
  return { table: { database, table }, ...rest };
}
