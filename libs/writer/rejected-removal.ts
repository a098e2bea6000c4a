import { z } from 'zod';
import type { QueueRecord } from '@app/ingest-queue';
import type { RejectedRows } from '@app/warehouse';

/**
 * Travels on the queue beside the batches that rejected records have become. The writer removes
 * these records from `_rejected`, after everything that was appended before is stored, and each
 * time that this is delivered.
 */
export interface RejectedRemoval {
  readonly database: string;
  readonly streamId: string;
  readonly rows: readonly RejectedRows[];
}

const KIND = 'rejected-removal';
const headers = z.object({ database: z.string().min(1), streamId: z.string().min(1) });
const rowsOfBatches = z.array(
  z.object({
    partition: z.number().int(),
    offset: z.string().transform(BigInt),
    rows: z.array(z.number().int()),
  }),
);

export function toRemovalRecord(
  key: string,
  { database, streamId, rows }: RejectedRemoval,
): QueueRecord {
  const plain = rows.map((batch) => ({ ...batch, offset: String(batch.offset) }));
  return {
    key,
    headers: { kind: KIND, database, streamId },
    payload: { bytes: Buffer.from(JSON.stringify(plain)) },
  };
}

/** Reads a removal; undefined when the record is something else. @throws {z.ZodError} when it cannot be read */
export function readRemoval(record: QueueRecord): RejectedRemoval | undefined {
  if (record.headers.kind !== KIND || !('bytes' in record.payload)) return undefined;
  const rows = JSON.parse(Buffer.from(record.payload.bytes).toString()) as unknown;
  return { ...headers.parse(record.headers), rows: rowsOfBatches.parse(rows) };
}

export const isRemoval = ({ headers: { kind } }: QueueRecord): boolean => kind === KIND;
