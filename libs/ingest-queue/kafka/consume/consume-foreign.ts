import type { Admin, IHeaders, Kafka, KafkaMessage } from 'kafkajs';
import { certain } from '@app/platform';
import type { DeadMessage, ForeignDelivery, ForeignMessages } from '../../foreign-messages.js';
import type { QueueRecord } from '../../ingest-queue.js';
import { toFailure } from '../client/kafka-failure.js';
import { GroupMember, type Slice } from './group-member.js';
import type { KafkaLog } from '../client/kafka-client.js';
import { nextOffset, slices, textsOfHeaders } from './slices.js';
import type { Topics } from '../topics.js';
import { TransactionalProducer, type SendWithin } from '../transactions.js';

export interface ForeignOptions {
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly log: KafkaLog;
  readonly namespace: string;
  readonly topics: Topics;
  /** Sends batches of the ingest queue within a transaction. */
  readonly sendAll: (records: readonly QueueRecord[], send: SendWithin) => Promise<unknown>;
}

type Bounds = Parameters<ForeignMessages['consume']>[0];

/**
 * A dead message stores at most so many bytes of the value, which is below the topic's limit for
 * one message.
 */
const DEAD_VALUE_BYTES = 7 * 1024 * 1024;
/** One request has at most so many bytes, unless a single message is larger. */
const DEAD_REQUEST = { most: 1000, maxBytes: 1024 * 1024 };

/**
 * Consumes the topic of foreign messages. The results of a delivery and the group's progress are
 * one transaction, by a producer whose id belongs to the partition. A consumer that is assigned the
 * partition ends the transaction of the consumer before, and only then reads the progress of that
 * one.
 */
export class KafkaForeignMessages implements ForeignMessages {
  constructor(private readonly options: ForeignOptions) {}

  consume(bounds: Bounds): AsyncIterable<ForeignDelivery> {
    return new ForeignConsumer(this.options, bounds).deliveries();
  }
}

class ForeignConsumer {
  private readonly member: GroupMember<ForeignDelivery>;
  private readonly groupId: string;
  /** The producers of the partitions that were taken over since their assignment. */
  private producers = new Map<number, TransactionalProducer>();

  constructor(
    private readonly options: ForeignOptions,
    { maxMessages: most, maxBytes, signal }: Bounds,
  ) {
    const { kafka, log, topics, namespace } = options;
    this.groupId = `${namespace}.uploads`;
    this.member = new GroupMember({
      kafka,
      log,
      groupId: this.groupId,
      topic: topics.uploads,
      fetchBytes: maxBytes,
      signal,
      most,
      maxBytes,
      onAssigned: () => void this.discardProducers(),
      eachSlice: (slice) => this.deliver(slice),
    });
  }

  async *deliveries(): AsyncGenerator<ForeignDelivery> {
    try {
      yield* this.member.items();
    } finally {
      await this.discardProducers();
    }
  }

  private async discardProducers(): Promise<void> {
    const producers = [...this.producers.values()];
    this.producers = new Map();
    await Promise.all(producers.map((producer) => producer.discard()));
  }

  private async deliver(slice: Slice): Promise<boolean> {
    const { messages, batch, consumer } = slice;
    const { topic, partition } = batch;
    const { producer, from } = await this.taken(partition);
    if (from !== undefined && BigInt(certain(messages[0], 'message of a slice').offset) < from) {
      consumer.seek({ topic, partition, offset: String(from) });
      return false;
    }
    const finished = await this.hand(slice, producer);
    if (!finished) await this.again(slice);
    return finished;
  }

  /** @returns the offset to start at, if the partition was taken over just now. */
  private async taken(
    partition: number,
  ): Promise<{ readonly producer: TransactionalProducer; readonly from?: bigint }> {
    const known = this.producers.get(partition);
    if (known) return { producer: known };
    const { kafka, topics } = this.options;
    const producer = new TransactionalProducer(kafka, `${topics.uploads}.${partition}`);
    await producer.takeOver();
    const from = await this.committed(partition);
    this.producers.set(partition, producer);
    return { producer, ...(from === undefined ? {} : { from }) };
  }

  private async committed(partition: number): Promise<bigint | undefined> {
    const { admin, topics } = this.options;
    const groups = await admin.fetchOffsets({ groupId: this.groupId, topics: [topics.uploads] });
    const found = groups[0]?.partitions.find((each) => each.partition === partition)?.offset;
    return found === undefined || BigInt(found) < 0n ? undefined : BigInt(found);
  }

  /** @returns false when the delivery was released, or never finished. */
  private async hand(
    { messages, batch }: Slice,
    producer: TransactionalProducer,
  ): Promise<boolean> {
    const { topic, partition } = batch;
    const offset = nextOffset(messages, batch);
    let finished = false;
    const headers = textsOfHeaders(messages);
    const given = messages.map((message, at) => ({
      headers: certain(headers[at], 'headers of a message'),
      value: message.value ?? new Uint8Array(),
      name: `${topic}/${partition}/${message.offset}`,
    }));
    await this.member.offer({
      messages: given,
      finish: async (records, dead) => {
        try {
          await producer.run(async (send, transaction) => {
            await this.options.sendAll(records, send);
            if (dead.length > 0) {
              const sent = new Map(given.map((each, at) => [each.name, messages[at]]));
              await this.bury(dead, sent, send);
            }
            const partitions = [{ partition, offset }];
            const { groupId: consumerGroupId } = this;
            await transaction.sendOffsets({ consumerGroupId, topics: [{ topic, partitions }] });
          });
        } catch (error) {
          throw toFailure(error);
        }
        finished = true;
      },
      release: () => Promise.resolve(),
    });
    return finished;
  }

  /** Sends many messages together, because a transaction must not take long. */
  private async bury(
    dead: readonly DeadMessage[],
    sent: ReadonlyMap<string, KafkaMessage | undefined>,
    send: SendWithin,
  ): Promise<void> {
    const messages = dead.map(({ message: { name }, reason }) => {
      const { key, value, headers } = certain(sent.get(name), 'message of a delivery');
      return {
        key,
        value: value && value.subarray(0, DEAD_VALUE_BYTES),
        headers: { ...sendable(headers), reason, message: name },
      };
    });
    const topic = this.options.topics.deadLetter;
    for (const together of slices(messages, DEAD_REQUEST))
      await send({ topic, partition: 0, messages: [...together] });
  }

  /** Starts again at the group's committed offset, once that is certain. */
  private async again({ batch, consumer }: Slice): Promise<void> {
    const { topic, partition } = batch;
    await this.producers.get(partition)?.discard();
    this.producers.delete(partition);
    if (this.member.isOver) return;
    const { from } = await this.taken(partition);
    consumer.seek({ topic, partition, offset: String(from ?? batch.messages[0]?.offset ?? '0') });
  }
}

/**
 * Headers as they came, byte for byte. The client cannot send one without a value, and reads
 * something else beside the value of one that is called as a method of objects (`toString`).
 */
const sendable = (headers: IHeaders = {}): IHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      [value].flat().filter((each) => Buffer.isBuffer(each)),
    ]),
  );
