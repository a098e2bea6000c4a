import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Admin, EachBatchPayload, TopicPartitionOffset } from 'kafkajs';
import { registerCodecs } from '../client/codecs.js';
import { kafkaClient, type ClientOptions } from '../client/kafka-client.js';
import { readOnlyCommitted } from '../client/read-only-committed.js';
import { SteadyConsumer } from '../client/steady-consumer.js';
import { topicsOf, writersOf } from '../topics.js';
import { textHeaders } from './slices.js';

interface WaitingOptions extends ClientOptions {
  readonly namespace: string;
}

/** The limits at which reading ends. */
interface WaitingBounds {
  readonly messages: number;
  readonly milliseconds: number;
}

/** The offsets of a partition that were not looked at yet. `end` is the first offset behind it. */
interface Range {
  next: bigint;
  readonly end: bigint;
}

const BOUNDS: WaitingBounds = { messages: 1_000_000, milliseconds: 120_000 };
/** Payloads come with the headers. A single large message may exceed this limit. */
const FETCH_BYTES = { maxBytesPerPartition: 1024 * 1024, maxBytes: 16 * 1024 * 1024 };
const FETCH_WAIT_MS = 250;

/**
 * Reads the headers of the batches that wait: from where the writers' group has come to the end as
 * it is now. It commits nothing and creates no topic. The writers must be stopped meanwhile.
 * @param each is given the headers of one message; those of a partition come in their order
 * @returns the number of messages, about, that were not looked at because a bound was reached
 * @throws when no broker answers
 */
export async function readWaitingHeaders(
  { namespace, ...client }: WaitingOptions,
  each: (headers: Readonly<Record<string, string>>) => void,
  bounds = BOUNDS,
): Promise<number> {
  registerCodecs();
  await readOnlyCommitted();
  const kafka = kafkaClient(client);
  const admin = kafka.admin();
  try {
    await admin.connect();
    const ranges = await waitingRanges(admin, namespace);
    if (isRead(ranges)) return 0;
    const config = { groupId: `${namespace}.waiting.${randomUUID()}`, maxWaitTimeInMs: FETCH_WAIT_MS, ...FETCH_BYTES }; // prettier-ignore
    const reader = new WaitingReader(ranges, bounds.messages, each);
    const consumer = new SteadyConsumer({
      kafka,
      log: client.log,
      topic: topicsOf(namespace).batches,
      config,
      eachBatch: (payload, reading) => {
        const sought = reader.take(payload);
        if (sought) reading.seek(sought);
        return Promise.resolve();
      },
      onPassed: (partition, offset) => reader.passed(partition, offset),
    });
    const timer = setTimeout(() => reader.end(), bounds.milliseconds);
    try {
      await consumer.start(reader.ended);
      if (!reader.ended.aborted) await once(reader.ended, 'abort');
    } finally {
      clearTimeout(timer);
      await consumer.close();
    }
    return reader.unread;
  } finally {
    await admin.disconnect();
  }
}

/** The ranges by partition. A namespace that has no topic of batches yet has none. */
async function waitingRanges(admin: Admin, namespace: string): Promise<ReadonlyMap<number, Range>> {
  const { batches: topic } = topicsOf(namespace);
  if (!(await admin.listTopics()).includes(topic)) return new Map();
  const [offsets, [group]] = await Promise.all([
    admin.fetchTopicOffsets(topic),
    admin.fetchOffsets({ groupId: writersOf(namespace), topics: [topic] }),
  ]);
  // A partition without a commit has -1.
  const committed = new Map(group?.partitions.map((each) => [each.partition, BigInt(each.offset)]));
  return new Map(
    offsets.map(({ partition, low, high }) => {
      const [first, written] = [BigInt(low), committed.get(partition) ?? -1n];
      return [partition, { next: written > first ? written : first, end: BigInt(high) }];
    }),
  );
}

const isRead = (ranges: ReadonlyMap<number, Range>): boolean =>
  [...ranges.values()].every(({ next, end }) => next >= end);

class WaitingReader {
  private readonly ending = new AbortController();

  constructor(
    private readonly ranges: ReadonlyMap<number, Range>,
    private left: number,
    private readonly each: (headers: Readonly<Record<string, string>>) => void,
  ) {}

  /** The signal aborts when all is read, or when a limit is reached. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  end(): void {
    this.ending.abort();
  }

  get unread(): number {
    const unread = [...this.ranges.values()].map(({ next, end }) => (end > next ? end - next : 0n));
    return Number(unread.reduce((sum, each) => sum + each, 0n));
  }

  /** @returns the offset at which the consumer must go on, if that is not behind this batch */
  take(payload: EachBatchPayload): TopicPartitionOffset | undefined {
    const { batch } = payload;
    const { topic, partition, messages } = batch;
    const range = this.ranges.get(partition);
    for (const message of messages) {
      const offset = BigInt(message.offset);
      if (!range || offset < range.next || offset >= range.end) continue;
      if (this.ended.aborted) return undefined;
      this.each(textHeaders(message));
      this.left -= 1;
      range.next = offset + 1n;
      if (this.left === 0) this.end();
    }
    const last = batch.lastOffset();
    payload.resolveOffset(last);
    // A group that is new begins with the first message that the topic still has.
    const isBefore = range !== undefined && BigInt(last) + 1n < range.next;
    return isBefore ? { topic, partition, offset: String(range.next) } : undefined;
  }

  /**
   * Notes that the consumer has passed an offset. Control records and aborted records have offsets,
   * but come in no batch.
   */
  passed(partition: number, offset: bigint): void {
    const range = this.ranges.get(partition);
    if (this.ended.aborted || !range) return;
    if (offset >= range.next) range.next = offset + 1n;
    if (isRead(this.ranges)) this.end();
  }
}
