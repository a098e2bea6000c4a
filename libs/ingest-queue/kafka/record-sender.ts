import { readFile, stat } from 'node:fs/promises';
import type { Message } from 'kafkajs';
import type { QueuePosition, QueueRecord } from '../ingest-queue.js';
import type { Outgoing, PlainProducer } from './client/plain-producer.js';
import { partitionOf } from './partition-of.js';
import type { SendWithin, TransactionPool } from './transactions.js';

interface SenderOptions {
  readonly producer: PlainProducer;
  readonly transactions: TransactionPool;
  readonly topic: string;
  readonly partitions: number;
  /** The number of bytes that one record batch of the topic may have. */
  readonly messageBytesMax: number;
}

/** The bytes of a message that are reserved for its key, headers and framing. */
export const BESIDE_PAYLOAD_BYTES = 128 * 1024;

/** Records that one request to the brokers takes. */
interface Request {
  readonly place: Omit<Outgoing, 'messages'>;
  readonly together: QueueRecord[];
}

/**
 * Sends records to the topic of batches, and those of one stream to one partition. Records that fit
 * into one record batch are atomic by themselves; more are a transaction. Positions have the
 * broker's partition numbers.
 */
export class RecordSender {
  readonly payloadBytesMax: number;

  constructor(private readonly options: SenderOptions) {
    const { messageBytesMax } = options;
    this.payloadBytesMax = Math.max(messageBytesMax - BESIDE_PAYLOAD_BYTES, messageBytesMax / 2);
  }

  /** Sends all records, or none of them. @param bytes of all payloads */
  send(records: readonly QueueRecord[], bytes: number): Promise<readonly QueuePosition[]> {
    return this.isOneBatch(records, bytes)
      ? this.sendOneBatch(records)
      : this.options.transactions.run(bytes, (send) => this.sendAll(records, send));
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
        positions.push({ partition: place.partition, offset: base + BigInt(index) });
    }
    return positions;
  }

  partitionOf(key: string): number {
    return partitionOf(key, this.options.partitions);
  }

  private isOneBatch(records: readonly QueueRecord[], bytes: number): boolean {
    const partitions = new Set(records.map(({ key }) => this.partitionOf(key)));
    return partitions.size <= 1 && (records.length === 1 || bytes <= this.payloadBytesMax / 2);
  }

  private async sendOneBatch(records: readonly QueueRecord[]): Promise<readonly QueuePosition[]> {
    const [first] = records;
    if (!first) return [];
    const messages = await Promise.all(records.map(toMessage));
    const place = this.place(first);
    const base = await this.options.producer.send({ ...place, messages });
    const { partition } = place;
    return records.map((_, index) => ({ partition, offset: base + BigInt(index) }));
  }

  private async *requests(records: readonly QueueRecord[]): AsyncGenerator<Request> {
    let request: Request | undefined;
    let bytes = 0;
    for (const record of records) {
      const place = this.place(record);
      const size = await payloadBytes(record);
      const fits =
        bytes + size <= this.payloadBytesMax / 2 &&
        (request?.together.length ?? 0) < this.options.messageBytesMax / 2 / BESIDE_PAYLOAD_BYTES;
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

  private place({ key }: QueueRecord): Omit<Outgoing, 'messages'> {
    return { topic: this.options.topic, partition: this.partitionOf(key) };
  }
}

export async function payloadBytes({ payload }: QueueRecord): Promise<number> {
  return 'bytes' in payload ? payload.bytes.length : (await stat(payload.file)).size;
}

async function toMessage({ key, headers, payload }: QueueRecord): Promise<Message> {
  const value = 'bytes' in payload ? Buffer.from(payload.bytes) : await readFile(payload.file);
  return { key, headers: { ...headers }, value };
}
