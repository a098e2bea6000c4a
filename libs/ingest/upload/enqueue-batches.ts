import { readFile } from 'node:fs/promises';
import {
  QueueFullError,
  type IngestQueue,
  type Payload,
  type QueuePosition,
  type QueueRecord,
} from '@app/ingest-queue';
import { MillraceError } from '@app/platform';
import { REJECTED_TABLE } from '@app/warehouse';
import type { AcceptedChunk, ColumnarFile, StreamSchema } from '../accept/chunk.js';
import { toHeaders } from '../batch.js';

export interface EnqueuedChunk extends AcceptedChunk {
  readonly recordBytes: number;
}

/** Below this a payload travels in the queue's own record: a file for each would cost more. */
const INLINE_BYTES = 64 * 1024;
const RETRY_AFTER_SECONDS = 5;

/**
 * Puts all batches of an upload on the queue in one append: they are there together or not at all.
 * @returns the position of the last one; undefined when there was nothing to store.
 * @throws {MillraceError} QUEUE_FULL
 */
export async function enqueueBatches(
  queue: IngestQueue,
  database: string,
  key: string,
  chunks: readonly EnqueuedChunk[],
): Promise<QueuePosition | undefined> {
  const records: QueueRecord[] = [];
  for (const { schema, accepted, rejected, recordBytes } of chunks) {
    if (schema && accepted)
      records.push(await toRecord(key, tableOf(schema), accepted, recordBytes));
    if (rejected)
      records.push(await toRecord(key, { database, table: REJECTED_TABLE }, rejected, recordBytes));
  }
  if (records.length === 0) return undefined;
  try {
    return (await queue.append(records)).at(-1);
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new MillraceError(
      'QUEUE_FULL',
      'the ingest queue is full; nothing of this upload was stored; try again later',
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        detail: error.message,
        cause: error,
      },
    );
  }
}

const tableOf = ({ database, name }: StreamSchema): { database: string; table: string } => ({
  database,
  table: name,
});

async function toRecord(
  key: string,
  table: { readonly database: string; readonly table: string },
  { file, rows, columns }: ColumnarFile,
  recordBytes: number,
): Promise<QueueRecord> {
  const payload: Payload = recordBytes <= INLINE_BYTES ? { bytes: await readFile(file) } : { file };
  return { key, headers: toHeaders({ table, columns, rows, recordBytes }), payload };
}
