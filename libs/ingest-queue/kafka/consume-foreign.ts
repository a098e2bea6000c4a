import type { Admin, Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import type { DeadMessage, ForeignDelivery, ForeignMessages } from '../foreign-messages.js';
import type { QueueRecord } from '../ingest-queue.js';
import { toFailure } from './failure.js';
import { Handover } from './handover.js';
import type { KafkaLog } from './kafka-client.js';
import { nextOffset, slices, textHeaders } from './slices.js';
import { SteadyConsumer } from './steady-consumer.js';
import type { Topics } from './topics.js';
import { TransactionalProducer, type SendWithin } from './transactions.js';

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

const HEARTBEAT_MS = 2000;
const SESSION_TIMEOUT_MS = 10_000;
const REBALANCE_TIMEOUT_MS = 120_000;
/** Below what the topic takes of one message. */
const DEAD_VALUE_BYTES = 7 * 1024 * 1024;

/**
 * The topic of foreign messages. What becomes of a delivery and how far the group has come are
 * one transaction, by a producer whose id is the partition's: whoever is given the partition ends
 * what the one before has begun, and only then reads how far it came.
 */
export class KafkaForeignMessages implements ForeignMessages {
  constructor(private readonly options: ForeignOptions) {}

  consume(bounds: Bounds): AsyncIterable<ForeignDelivery> {
    return new ForeignConsumer(this.options, bounds).deliveries();
  }
}

class ForeignConsumer {
  private readonly handover = new Handover<ForeignDelivery>();
  private readonly ended = new AbortController();
  private readonly consumer: SteadyConsumer;
  private readonly groupId: string;
  private assigned: ReadonlySet<number> = new Set();
  /** Taken over since they were assigned. */
  private producers = new Map<number, TransactionalProducer>();

  constructor(
    private readonly options: ForeignOptions,
    private readonly bounds: Bounds,
  ) {
    const { kafka, log, topics, namespace } = options;
    this.groupId = `${namespace}.uploads`;
    this.consumer = new SteadyConsumer({
      kafka,
      log,
      topic: topics.uploads,
      config: {
        groupId: this.groupId,
        sessionTimeout: SESSION_TIMEOUT_MS,
        rebalanceTimeout: REBALANCE_TIMEOUT_MS,
        heartbeatInterval: HEARTBEAT_MS,
        maxBytesPerPartition: bounds.maxBytes,
        maxBytes: bounds.maxBytes,
        maxWaitTimeInMs: 250,
      },
      eachBatch: (payload, consumer) => this.deliver(payload, consumer),
      onAssigned: (partitions) => {
        this.assigned = partitions;
        for (const producer of this.producers.values()) void producer.discard();
        this.producers = new Map();
      },
    });
  }

  async *deliveries(): AsyncGenerator<ForeignDelivery> {
    try {
      await this.consumer.start();
      yield* this.handover.items(AbortSignal.any([this.bounds.signal, this.ended.signal]));
    } finally {
      this.ended.abort();
      await this.consumer.close();
      await Promise.all([...this.producers.values()].map((producer) => producer.discard()));
    }
  }

  private async deliver(payload: EachBatchPayload, consumer: Consumer): Promise<void> {
    const { batch } = payload;
    const { maxMessages: most, maxBytes } = this.bounds;
    for (const part of slices(batch.messages, { most, maxBytes })) {
      if (this.over(payload)) return;
      const { producer, from } = await this.taken(batch.partition);
      if (from !== undefined && BigInt(part[0]?.offset ?? 0) < from)
        return consumer.seek({ ...batch, offset: String(from) });
      const beating = setInterval(
        () => void payload.heartbeat().catch(() => undefined),
        HEARTBEAT_MS,
      );
      try {
        if (!(await this.hand(part, payload, producer))) return await this.again(payload, consumer);
        payload.resolveOffset(part.at(-1)?.offset ?? '');
      } finally {
        clearInterval(beating);
      }
    }
    await payload.heartbeat();
  }

  private over(payload: EachBatchPayload): boolean {
    const ended = this.bounds.signal.aborted || this.ended.signal.aborted;
    if (ended || !payload.isRunning() || payload.isStale()) return true;
    return !this.assigned.has(payload.batch.partition);
  }

  /** @returns where to begin, when the partition was taken over just now. */
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

  /** @returns false when it was given back, or was never done with. */
  private async hand(
    part: readonly KafkaMessage[],
    { batch }: EachBatchPayload,
    producer: TransactionalProducer,
  ): Promise<boolean> {
    const { topic, partition } = batch;
    const offset = nextOffset(part, batch);
    let finished = false;
    await this.handover.offer({
      messages: part.map((message) => ({
        headers: textHeaders(message),
        value: message.value ?? new Uint8Array(),
        name: `${topic}/${partition}/${message.offset}`,
      })),
      finish: async (records, dead) => {
        try {
          await producer.run(async (send, transaction) => {
            await this.options.sendAll(records, send);
            for (const each of dead) await this.bury(each, send);
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

  private async bury({ message, reason }: DeadMessage, send: SendWithin): Promise<void> {
    const { headers, value, name } = message;
    const kept = value.subarray(0, DEAD_VALUE_BYTES);
    await send({
      topic: this.options.topics.deadLetter,
      partition: 0,
      messages: [{ value: Buffer.from(kept), headers: { ...headers, reason, message: name } }],
    });
  }

  /** From where the group has come to, once that is certain. */
  private async again({ batch }: EachBatchPayload, consumer: Consumer): Promise<void> {
    const { topic, partition } = batch;
    await this.producers.get(partition)?.discard();
    this.producers.delete(partition);
    if (this.ended.signal.aborted || this.bounds.signal.aborted) return;
    const { from } = await this.taken(partition);
    consumer.seek({ topic, partition, offset: String(from ?? batch.messages[0]?.offset ?? '0') });
  }
}
