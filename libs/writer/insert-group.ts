import type { Delivery } from '@app/ingest-queue';
import { certain, currentTrace, traced, traceOf } from '@app/platform';
import type { StreamsProjection } from '@app/streams';
import { REJECTED_TABLE, type WarehouseSchema, type WarehouseWriter } from '@app/warehouse';
import type { RejectedRemoval } from './rejected-removal.js';
import type { BatchGroup, ReceivedBatch } from './group-batches.js';
import { refuseLost } from './lost-payload.js';
import { SpilledBatches } from './spilled-batches.js';
import { measureInsert } from './write-metrics.js';

/**
 * The tables of a partition whose read-backs are kept. Callers make streams and delete them, so
 * without a bound this would grow until the next epoch. A read-back that was dropped is done again,
 * which is always right and costs a short query.
 */
const READ_BACKS_MAX = 4096;

/** Tells which batches of a stream a table has. */
interface ReadBack {
  /**
   * The last read-back, running or done. It is removed when it fails, or when an insert fails. So a
   * read-back that is found here is complete: no insert has failed since it began.
   */
  stored: Promise<ReadonlySet<bigint>> | undefined;
  /** The greatest offset that an insert was tried for. What is not behind it comes again. */
  last: bigint;
}

/** The state of a partition's batches under one epoch. */
interface Partition {
  readonly epoch: bigint | undefined;
  /** By table and stream. The one that was used last is the last of the map. */
  readonly readBacks: Map<string, ReadBack>;
  /**
   * The first offset of the current delivery. No group of the delivery has an earlier offset, so
   * every read-back may begin here.
   */
  first: bigint;
}

/**
 * Inserts groups of batches so that each batch is in its table once, whatever happened before.
 *
 * The table is the checkpoint. Rows carry their batch's queue position, an insert is one part and
 * so all or nothing; before the first insert into a table, and after any insert whose outcome is
 * not known, the positions that are there are read back, and only what is missing is inserted.
 * That holds because one writer at a time has a partition, and takes the batches of a stream in
 * order; those of several streams come in any order.
 */
export class GroupInserter {
  private readonly partitions = new Map<number, Partition>();

  constructor(
    private readonly writer: WarehouseWriter,
    /** An absolute path of the folder for batches that came as bytes. */
    private readonly directory: string,
    private readonly streams: StreamsProjection,
    private readonly schema: Pick<WarehouseSchema, 'dropRejected' | 'removeRejected'>,
  ) {}

  /**
   * Must be called before the groups of a delivery. Under a new epoch the stored offsets are read
   * anew.
   * @throws {FencedError} when another writer has claimed the partition
   */
  async begin({
    partition,
    epoch,
    records,
  }: Pick<Delivery, 'partition' | 'epoch' | 'records'>): Promise<void> {
    const known = this.partitions.get(partition);
    const first = certain(records[0], 'record of a delivery').position.offset;
    if (known && known.epoch === epoch) {
      known.first = first;
      return;
    }
    this.partitions.delete(partition);
    if (epoch !== undefined) await this.writer.claim(partition, epoch);
    this.partitions.set(partition, { epoch, readBacks: new Map(), first });
  }

  /** @throws {LostPayloadError} when the file of a batch that is not stored is gone; {WarehouseError} when the outcome is unknown or bad; call again with the same group, or some of its batches. */
  async insert(group: BatchGroup): Promise<void> {
    const { table, streamId } = group;
    // The stream or its organization was deleted after the upload was answered, and the records are
    // deleted with it.
    if (this.streams.isGone(streamId, table.database)) return;
    await this.insertMissing(group);
    // The stream was deleted during the insert, after its rejected records had been dropped.
    if (table.table === REJECTED_TABLE && this.streams.isDeleted(streamId))
      await this.schema.dropRejected(table.database, streamId);
  }

  /**
   * Rows that a redelivery has inserted again are removed again, because a removal is delivered
   * after its batches, and not committed before them.
   */
  async remove({ database, streamId, rows }: RejectedRemoval): Promise<void> {
    if (this.streams.isGone(streamId, database)) return;
    await this.schema.removeRejected(database, streamId, rows);
  }

  private async insertMissing(group: BatchGroup): Promise<void> {
    const partition = partitionOf(group);
    const begun = this.begun(partition);
    const { epoch } = begun;
    const missing = await this.missing(begun, group);
    if (missing.length === 0) return;
    // A batch that is stored already needs no file any more.
    await refuseLost(missing);
    const spilled = await SpilledBatches.write(this.directory, missing);
    try {
      const { batches } = spilled;
      const { table, streamId, columns, types } = group;
      const fence = epoch === undefined ? {} : { fence: { partition, epoch } };
      const insert = { table, streamId, columns, types, batches, ...fence };
      const traces = missing.map(({ record }) => traceOf(record.headers));
      await traced('insert', () => measureInsert(missing, () => this.writer.insert(insert)), {
        kind: 'consumer',
        attributes: { batches: missing.length, partition },
        parent: traces[0] ?? currentTrace(),
        links: traces.slice(1),
      });
    } catch (error) {
      const readBack = begun.readBacks.get(keyOf(group));
      if (readBack) readBack.stored = undefined;
      throw error;
    } finally {
      await spilled.remove();
    }
  }

  private begun(partition: number): Partition {
    const begun = this.partitions.get(partition);
    if (!begun) throw new Error(`no delivery of partition ${partition} has begun`);
    return begun;
  }

  private async missing(begun: Partition, group: BatchGroup): Promise<readonly ReceivedBatch[]> {
    const there = await this.readBack(begun, group);
    return there.size === 0
      ? group.batches
      : group.batches.filter(({ record }) => !there.has(record.position.offset));
  }

  /**
   * One read-back serves all groups of a stream that ask at once, because two of a delivery run
   * together. Batches that come again are asked for anew.
   */
  private readBack(
    { readBacks, first, epoch }: Partition,
    group: BatchGroup,
  ): Promise<ReadonlySet<bigint>> {
    const key = keyOf(group);
    const [from, upTo] = endsOf(group);
    const known = readBacks.get(key) ?? { stored: undefined, last: -1n };
    // The one that was used last goes last.
    readBacks.delete(key);
    readBacks.set(key, known);
    const isAgain = from <= known.last;
    if (upTo > known.last) known.last = upTo;
    if (known.stored && !isAgain) return known.stored;
    const reading = this.writer.storedOffsets(group.table, partitionOf(group), first, epoch);
    known.stored = reading;
    const [oldest] = readBacks.keys();
    if (oldest !== undefined && readBacks.size > READ_BACKS_MAX) readBacks.delete(oldest);
    reading.catch(() => {
      if (known.stored === reading) known.stored = undefined;
    });
    return reading;
  }
}

const keyOf = ({ table, streamId }: BatchGroup): string => JSON.stringify([table, streamId]);

/** The offsets of its first batch and its last. */
const endsOf = ({ batches }: BatchGroup): readonly [bigint, bigint] => [
  certain(batches[0], 'batch of a group').record.position.offset,
  certain(batches.at(-1), 'batch of a group').record.position.offset,
];

const partitionOf = ({ batches }: BatchGroup): number =>
  certain(batches[0], 'batch of a group').record.position.partition;
