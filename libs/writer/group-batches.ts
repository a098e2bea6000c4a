import type { QueuedRecord } from '@app/ingest-queue';
import { readableBatch, type Batch } from './batch.js';

export interface ReceivedBatch extends Batch {
  readonly record: QueuedRecord;
}

/** Batches of one stream for one table, read in the same way into the same columns, small enough together for one part. */
export interface BatchGroup {
  readonly table: Batch['table'];
  readonly streamId: string;
  readonly columns: readonly string[];
  readonly types?: Batch['types'];
  readonly batches: readonly ReceivedBatch[];
}

/**
 * The size of one chunk of a large upload, or of many small uploads. An insert holds it in memory
 * several times. It is far below the size of one part.
 */
const GROUP_ROWS_MAX = 400_000;
const GROUP_BYTES_MAX = 18 * 1024 * 1024;
const GROUP_BATCHES_MAX = 256;

/**
 * Groups the batches of one delivery, in order, so that many small batches become few parts.
 * Records with unreadable headers are returned separately.
 */
export function groupBatches(records: readonly QueuedRecord[]): {
  readonly groups: readonly BatchGroup[];
  readonly unreadable: readonly QueuedRecord[];
} {
  const open = new Map<string, ReceivedBatch[]>();
  const groups: ReceivedBatch[][] = [];
  const unreadable: QueuedRecord[] = [];
  for (const record of records) {
    const batch = read(record);
    if (!batch) {
      unreadable.push(record);
      continue;
    }
    const key = JSON.stringify([batch.table, batch.streamId, batch.columns, batch.types]);
    const group = open.get(key);
    if (group && hasRoom(group, batch)) group.push(batch);
    else {
      const fresh = [batch];
      open.set(key, fresh);
      groups.push(fresh);
    }
  }
  return { groups: groups.flatMap(toGroup), unreadable };
}

function read(record: QueuedRecord): ReceivedBatch | undefined {
  const batch = readableBatch(record.headers);
  return batch && { ...batch, record };
}

function hasRoom(group: readonly ReceivedBatch[], batch: ReceivedBatch): boolean {
  const rows = group.reduce((sum, each) => sum + each.rows, batch.rows);
  const bytes = group.reduce((sum, each) => sum + each.recordBytes, batch.recordBytes);
  return group.length < GROUP_BATCHES_MAX && rows <= GROUP_ROWS_MAX && bytes <= GROUP_BYTES_MAX;
}

function toGroup(batches: readonly ReceivedBatch[]): readonly BatchGroup[] {
  const [first] = batches;
  if (!first) return [];
  const { table, streamId, columns, types } = first;
  return [{ table, streamId, columns, types, batches }];
}
