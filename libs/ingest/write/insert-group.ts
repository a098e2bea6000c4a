import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StreamsProjection } from '@app/streams';
import {
  REJECTED_TABLE,
  type StoredBatch,
  type WarehouseSchema,
  type WarehouseWriter,
} from '@app/warehouse';
import type { BatchGroup, ReceivedBatch } from './group-batches.js';

/**
 * Inserts groups of batches so that each batch is in its table once, whatever happened before.
 *
 * The table is the checkpoint. Rows carry their batch's queue position, an insert is one part and
 * so all or nothing; before the first insert into a table, and after any insert whose outcome is
 * not known, the positions that are there are read back, and only what is missing is inserted.
 * That holds because one writer at a time has a partition, and takes its batches in order.
 */
export class GroupInserter {
  /** By table and partition: positions found at the last read-back. Absent: unknown. */
  private readonly stored = new Map<string, ReadonlySet<bigint>>();

  constructor(
    private readonly writer: WarehouseWriter,
    /** Absolute; for batches that came as bytes. */
    private readonly directory: string,
    private readonly streams: StreamsProjection,
    private readonly schema: Pick<WarehouseSchema, 'dropRejected'>,
  ) {}

  /** @throws {WarehouseError} when the outcome is unknown or bad; call again with the same group, or parts of it. */
  async insert(group: BatchGroup): Promise<void> {
    const { table, streamId } = group;
    // Deleted with its stream, which its upload was answered before.
    if (this.streams.isDeleted(streamId)) return;
    await this.insertMissing(group);
    // Deleted meanwhile: its records were dropped before these came.
    if (table.table === REJECTED_TABLE && this.streams.isDeleted(streamId))
      await this.schema.dropRejected(table.database, streamId);
  }

  private async insertMissing(group: BatchGroup): Promise<void> {
    const key = keyOf(group);
    const missing = await this.missing(key, group);
    if (missing.length === 0) return;
    const written: string[] = [];
    try {
      const batches: StoredBatch[] = [];
      for (const { record } of missing) {
        const file =
          'file' in record.payload
            ? record.payload.file
            : await this.spill(record.position.offset, record.payload.bytes, written);
        batches.push({ position: record.position, file });
      }
      const { table, streamId, columns } = group;
      await this.writer.insert({ table, streamId, columns, batches });
    } catch (error) {
      this.stored.delete(key);
      throw error;
    } finally {
      await Promise.all(written.map((file) => rm(file, { force: true })));
    }
  }

  private async missing(
    key: string,
    { table, batches }: BatchGroup,
  ): Promise<readonly ReceivedBatch[]> {
    const [first] = batches;
    if (!first) return [];
    let stored = this.stored.get(key);
    if (!stored) {
      const { partition, offset } = first.record.position;
      stored = await this.writer.storedOffsets(table, partition, offset);
      this.stored.set(key, stored);
    }
    const known = stored;
    return known.size === 0
      ? batches
      : batches.filter(({ record }) => !known.has(record.position.offset));
  }

  private async spill(offset: bigint, bytes: Uint8Array, written: string[]): Promise<string> {
    const file = join(this.directory, `${offset}.native.zst`);
    written.push(file);
    await writeFile(file, bytes);
    return file;
  }
}

function keyOf({ table, streamId, batches }: BatchGroup): string {
  return JSON.stringify([table, streamId, batches[0]?.record.position.partition]);
}
