import { readFile, rm, stat } from 'node:fs/promises';
import type { Admin, Kafka, Message } from 'kafkajs';
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
import { BatchConsumer } from './consume/consume-batches.js';
import { toFailure } from './client/kafka-failure.js';
import type { GroupProgress } from './consume/group-progress.js';
import type { KafkaLog } from './client/kafka-client.js';
import { partitionOf } from './partition-of.js';
import type { Outgoing, PlainProducer } from './client/plain-producer.js';
import type { Topics } from './topics.js';
import type { SendWithin, TransactionPool } from './transactions.js';

interface KafkaDependencies {
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly log: KafkaLog;
  readonly topics: Topics;
  readonly groupId: string;
  readonly partitions: number;
  /** The number at which the numbers of partitions begin, as everybody else sees them. */
  readonly firstPartition: number;
  /** The number of bytes that one record batch of the topic may have. */
  readonly messageBytesMax: number;
  readonly producer: PlainProducer;
  readonly transactions: TransactionPool;
  readonly names: AppendNames;
  readonly progress: GroupProgress;
}

/** Left in a message for its key, headers and framing. */
const BESIDE_PAYLOAD_BYTES = 128 * 1024;
const PURGE_MS = 60_000;

/** Records that one request to the brokers takes. */
interface Request {
  readonly place: Omit<Outgoing, 'messages'>;
  readonly together: QueueRecord[];
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
  private readonly purging: NodeJS.Timeout;

  constructor(private readonly dependencies: KafkaDependencies) {
    const { messageBytesMax } = dependencies;
    this.payloadBytesMax = Math.max(messageBytesMax - BESIDE_PAYLOAD_BYTES, messageBytesMax / 2);
    this.purging = setInterval(() => void this.purge(), PURGE_MS).unref();
  }

  async append(
    records: readonly QueueRecord[],
    once?: NamedAppend,
  ): Promise<readonly QueuePosition[]> {
    const { names, progress, transactions } = this.dependencies;
    const sizes = await Promise.all(records.map(payloadBytes));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const owner = records[0]?.owner;
    return progress.within(bytes, owner, async () => {
      try {
        const positions = once
          ? await names.append(once, bytes, (send) => this.sendAll(records, send))
          : this.isOneBatch(records, bytes)
            ? await this.sendOneBatch(records)
            : await transactions.run(bytes, (send) => this.sendAll(records, send));
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
    const fetchBytes = this.dependencies.messageBytesMax + BESIDE_PAYLOAD_BYTES;
    return new BatchConsumer({ ...this.dependencies, fetchBytes }, options).deliveries();
  }

  async written(key: string): Promise<QueuePosition> {
    const partition = this.partitionOf(key);
    const offset = await this.dependencies.progress.writtenTo(partition, WRITTEN_KNOWN_MS);
    return this.position(partition, offset);
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
    const { names, progress, producer, transactions, admin } = this.dependencies;
    clearInterval(this.purging);
    progress.close();
    await Promise.all([names.close(), transactions.close()]);
    await producer.close();
    await admin.disconnect();
  }

  private isOneBatch(records: readonly QueueRecord[], bytes: number): boolean {
    const partitions = new Set(records.map(({ key }) => this.partitionOf(key)));
    return partitions.size <= 1 && (records.length === 1 || bytes <= this.payloadBytesMax / 2);
  }

  private async sendOneBatch(records: readonly QueueRecord[]): Promise<readonly QueuePosition[]> {
    const [first] = records;
    if (!first) return [];
    const messages = await Promise.all(records.map(toMessage));
    const { partition, ...place } = this.place(first);
    const base = await this.dependencies.producer.send({ ...place, partition, messages });
    return records.map((_, index) => this.position(partition, base + BigInt(index)));
  }

  /**
   * Sends small records in a row together where one partition takes them; larger ones go one at a
   * time, since their payloads together may be more than memory should hold.
   */
  async sendAll(
    records: readonly QueueRecord[],
    send: SendWithin,
  ): Promise<readonly QueuePosition[]> {
    const positions: QueuePosition[] = [];
    for await (const { place, together } of this.requests(records)) {
      const base = await send({ ...place, messages: await Promise.all(together.map(toMessage)) });
      for (const index of together.keys())
        positions.push(this.position(place.partition, base + BigInt(index)));
    }
    return positions;
  }

  private async *requests(records: readonly QueueRecord[]): AsyncGenerator<Request> {
    let request: Request | undefined;
    let bytes = 0;
    for (const record of records) {
      const place = this.place(record);
      const size = await payloadBytes(record);
      const fits =
        bytes + size <= this.payloadBytesMax / 2 &&
        (request?.together.length ?? 0) <
          this.dependencies.messageBytesMax / 2 / BESIDE_PAYLOAD_BYTES;
      if (request && fits && request.place.partition === place.partition) {
        request.together.push(record);
      } else {
        if (request) yield request;
        request = { place, together: [record] };
        bytes = 0;
      }
      bytes += size;
    }
    if (request) yield request;
  }

  private position(partition: number, offset: bigint): QueuePosition {
    return { partition: this.dependencies.firstPartition + partition, offset };
  }

  /** Gives the position as the broker counts partitions. */
  private within({ partition, offset }: QueuePosition): QueuePosition {
    return { partition: partition - this.dependencies.firstPartition, offset };
  }

  private place({ key }: QueueRecord): Omit<Outgoing, 'messages'> {
    return { topic: this.dependencies.topics.batches, partition: this.partitionOf(key) };
  }

  private partitionOf(key: string): number {
    return partitionOf(key, this.dependencies.partitions);
  }

  /** Deletes what the writers are done with: nothing else does. */
  private async purge(): Promise<void> {
    const { admin, topics, progress, log } = this.dependencies;
    const partitions = [...progress.committed()]
      .filter(([, offset]) => offset > 0n)
      .map(([partition, offset]) => ({ partition, offset: String(offset) }));
    if (partitions.length === 0) return;
    await admin
      .deleteTopicRecords({ topic: topics.batches, partitions })
      .catch((error: unknown) => log.warn({ err: error }, 'written records cannot be deleted'));
  }
}

async function payloadBytes({ payload }: QueueRecord): Promise<number> {
  return 'bytes' in payload ? payload.bytes.length : (await stat(payload.file)).size;
}

async function toMessage({ key, headers, payload }: QueueRecord): Promise<Message> {
  const value = 'bytes' in payload ? Buffer.from(payload.bytes) : await readFile(payload.file);
  return { key, headers: { ...headers }, value };
}
