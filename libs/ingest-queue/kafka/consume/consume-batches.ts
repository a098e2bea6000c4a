import type { Kafka, KafkaMessage } from 'kafkajs';
import { certain } from '@app/platform';
import type { ConsumeOptions, Delivery, QueuedRecord } from '../../ingest-queue.js';
import { hasMovedOn } from '../client/kafka-failure.js';
import type { GroupProgress } from './group-progress.js';
import { GroupMember, type Slice } from './group-member.js';
import type { KafkaLog } from '../client/kafka-client.js';
import type { PlainProducer } from '../client/plain-producer.js';
import { nextOffset, textHeaders } from './slices.js';
import type { Topics } from '../topics.js';

interface BatchConsumerOptions {
  readonly kafka: Kafka;
  readonly log: KafkaLog;
  readonly producer: PlainProducer;
  readonly progress: GroupProgress;
  readonly groupId: string;
  readonly topics: Topics;
  /** It is at least the largest size of a record batch in the topic. */
  readonly fetchBytes: number;
  /** The number at which the partition numbers of this queue start. */
  readonly firstPartition: number;
}

/** A partition that moves to another writer waits for the end of a delivery. */
const RECORDS_MAX = 256;

/** A member of the writers' group. */
export class BatchConsumer {
  private readonly member: GroupMember<Delivery>;
  private epochs = new Map<number, bigint>();

  constructor(
    private readonly options: BatchConsumerOptions,
    { maxRecords: most, maxBytes, signal }: ConsumeOptions,
  ) {
    this.member = new GroupMember({
      ...options,
      topic: options.topics.batches,
      signal,
      most: Math.min(most, RECORDS_MAX),
      maxBytes,
      onAssigned: () => (this.epochs = new Map()),
      eachSlice: (slice) => this.deliver(slice),
    });
  }

  deliveries(): AsyncGenerator<Delivery> {
    return this.member.items();
  }

  private async deliver(slice: Slice): Promise<boolean> {
    const kept = await this.hand(slice, await this.epochOf(slice.batch.partition));
    if (!kept) this.again(slice);
    return kept;
  }

  /** @returns false when the batch was released. */
  private async hand({ messages, batch, consumer }: Slice, epoch: bigint): Promise<boolean> {
    const { partition, topic } = batch;
    let kept = true;
    const next = nextOffset(messages, batch);
    const outward = this.options.firstPartition + partition;
    await this.member.offer({
      partition: outward,
      epoch,
      records: messages.map((message) => toRecord(outward, message)),
      commit: async (positions = []) => {
        const { setAside } = this.options.progress;
        setAside.add(
          partition,
          positions.map(({ offset }) => offset),
        );
        const metadata = setAside.text(partition);
        await consumer
          .commitOffsets([{ topic, partition, offset: next, metadata }])
          .catch((error: unknown) => {
            if (!hasMovedOn(error)) throw error;
          });
        this.options.progress.committedBelow(partition, BigInt(next));
      },
      release: () => {
        kept = false;
        return Promise.resolve();
      },
    });
    return kept;
  }

  /** Seeks back to the first record of this slice, under a new epoch. */
  private again({ messages, batch: { partition, topic }, consumer }: Slice): void {
    this.epochs.delete(partition);
    if (this.member.isOver) return;
    consumer.seek({ topic, partition, offset: certain(messages[0], 'message of a slice').offset });
  }

  /**
   * The broker orders these records, so it is clear which consumer was assigned a partition last.
   */
  private async epochOf(partition: number): Promise<bigint> {
    const known = this.epochs.get(partition);
    if (known !== undefined) return known;
    const { producer, progress, topics } = this.options;
    // Commits of this consumer go on reporting the records that the earlier consumer has set aside.
    await progress.pollAnew();
    const message = { key: String(partition), value: '' };
    // An offset counts from 0; an epoch from 1.
    const epoch =
      (await producer.send({ topic: topics.epochs, partition: 0, messages: [message] })) + 1n;
    this.epochs.set(partition, epoch);
    return epoch;
  }
}

function toRecord(partition: number, message: KafkaMessage): QueuedRecord {
  const { key, value, offset } = message;
  return {
    key: key?.toString() ?? '',
    headers: textHeaders(message),
    payload: { bytes: value ?? new Uint8Array() },
    position: { partition, offset: BigInt(offset) },
  };
}
