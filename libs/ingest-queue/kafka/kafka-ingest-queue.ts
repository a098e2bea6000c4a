import { rm } from 'node:fs/promises';
import { certain } from '@app/platform';
import {
  WRITTEN_KNOWN_MS,
  type ConsumeOptions,
  type Delivery,
  type IngestQueue,
  type KeptAppend,
  type NamedAppend,
  type QueueDepth,
  type QueuePosition,
  type QueueRecord,
} from '../ingest-queue.js';
import type { AppendNames } from './append-names-topic.js';
import { toFailure } from './client/kafka-failure.js';
import type { GroupProgress } from './consume/group-progress.js';
import { payloadBytes, type RecordSender } from './record-sender.js';

interface KafkaDependencies {
  readonly sender: RecordSender;
  readonly names: AppendNames;
  readonly progress: GroupProgress;
  /** Joins the writers' group. */
  readonly consume: (options: ConsumeOptions) => AsyncIterable<Delivery>;
  /** Ends the connections to the brokers. It is called last. */
  readonly disconnect: () => Promise<void>;
  /** The number at which the partition numbers of this queue start. */
  readonly firstPartition: number;
}

/**
 * The ingest queue on Kafka: columnar batches in one topic, one stream's in one partition.
 *
 * What fits into one record batch is atomic by itself; an append of more is a transaction, and a
 * named one always is. Consumers read what is committed. Records stay until they are consumed,
 * however long that takes, and are deleted then.
 */
export class KafkaIngestQueue implements IngestQueue {
  readonly isShared = true;
  readonly payloadBytesMax: number;

  /** Brokers get compressed bytes, because they send and keep copies of them. */
  readonly plainBytesMax = (): number => 0;

  constructor(private readonly dependencies: KafkaDependencies) {
    this.payloadBytesMax = dependencies.sender.payloadBytesMax;
  }

  async append(
    records: readonly QueueRecord[],
    once?: NamedAppend,
  ): Promise<readonly QueuePosition[]> {
    const { names, progress, sender } = this.dependencies;
    const sizes = await Promise.all(records.map(payloadBytes));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const owner = records[0]?.owner;
    return progress.within(bytes, owner, async () => {
      try {
        const positions = once
          ? await names.append(once, bytes, async (send) =>
              this.outward(await sender.sendAll(records, send)),
            )
          : this.outward(await sender.send(records, bytes));
        for (const { payload } of records)
          if ('file' in payload) await rm(payload.file, { force: true });
        for (const [index, position] of positions.entries())
          progress.appendedAt(
            this.within(position),
            certain(sizes[index], 'size of a record'),
            owner,
          );
        return positions;
      } catch (error) {
        throw toFailure(error);
      }
    });
  }

  async appended(name: string): Promise<KeptAppend | undefined> {
    await this.dependencies.progress.checkThere();
    return this.dependencies.names.find(name);
  }

  consume(options: ConsumeOptions): AsyncIterable<Delivery> {
    return this.dependencies.consume(options);
  }

  async written(key: string): Promise<QueuePosition> {
    const { progress, sender, firstPartition } = this.dependencies;
    const partition = sender.partitionOf(key);
    const offset = await progress.writtenTo(partition, WRITTEN_KNOWN_MS);
    return { partition: firstPartition + partition, offset };
  }

  awaitCommitted(position: QueuePosition): Promise<void> {
    return this.dependencies.progress.awaitCommitted(this.within(position));
  }

  awaitAllCommitted(): Promise<void> {
    return this.dependencies.progress.awaitAllCommitted();
  }

  wasSetAside(position: QueuePosition, first: bigint): boolean {
    return this.dependencies.progress.setAside.has(this.within(position), first);
  }

  depth(): QueueDepth {
    return this.dependencies.progress.depth();
  }

  lag(): ReadonlyMap<number, number> {
    return this.dependencies.progress.lag();
  }

  reach(): Promise<void> {
    return this.dependencies.progress.poll();
  }

  async close(): Promise<void> {
    const { progress, disconnect } = this.dependencies;
    progress.close();
    await disconnect();
  }

  /** Converts positions to the numbers that all other code uses. */
  private outward(positions: readonly QueuePosition[]): readonly QueuePosition[] {
    const { firstPartition } = this.dependencies;
    return positions.map(({ partition, offset }) => ({
      partition: firstPartition + partition,
      offset,
    }));
  }

  /** Converts a position to the broker's partition number. */
  private within({ partition, offset }: QueuePosition): QueuePosition {
    return { partition: partition - this.dependencies.firstPartition, offset };
  }
}
