import { once } from 'node:events';
import type { Consumer, ConsumerConfig, EachBatchPayload, Kafka } from 'kafkajs';
import { pause, within } from '@app/flow';
import type { KafkaLog } from './kafka-client.js';

interface SteadyConsumerOptions {
  readonly kafka: Kafka;
  readonly log: KafkaLog;
  readonly config: ConsumerConfig;
  readonly topic: string;
  /** The consumer commits by itself the messages that it has processed. */
  readonly eachBatch: (payload: EachBatchPayload, consumer: Consumer) => Promise<void>;
  /** The partitions were assigned again, so knowledge about the earlier ones is outdated. */
  readonly onAssigned?: (partitions: ReadonlySet<number>) => void;
  /**
   * Everything of the partition up to this offset was fetched, including records that appear in no
   * batch.
   */
  readonly onPassed?: (partition: number, offset: bigint) => void;
}

const REOPEN_MS = 1000;
/** A group without missing members accepts a new member sooner. */
const JOINING_MS = 3000;

/** A member of a consumer group that joins again, for whatever reason it ended. */
export class SteadyConsumer {
  private readonly closing = new AbortController();
  private consumer: Consumer | undefined;
  private opening: Promise<void> = Promise.resolve();
  private isMember = false;

  constructor(private readonly options: SteadyConsumerOptions) {}

  /**
   * Resolves when it has joined its group for the first time, or when the signal aborts: a broker
   * may take minutes until a new member has joined.
   * @throws when it cannot; it may be tried again.
   */
  async start(signal = this.closing.signal): Promise<void> {
    if (signal.aborted) return;
    const started = new AbortController();
    const given = once(signal, 'abort', { signal: started.signal }).catch(() => undefined);
    try {
      await Promise.race([this.open(), given]);
    } catch (error) {
      await this.consumer?.disconnect().catch(() => undefined);
      throw error;
    } finally {
      started.abort();
    }
  }

  /**
   * Closes when the current batch is done. A broker answers a joining member only when all others
   * have joined or are given up, which may take minutes. Then there is no batch, and the broker
   * will give up this member in turn.
   */
  async close(): Promise<void> {
    this.closing.abort();
    await this.opening.catch(() => undefined);
    const ended = this.consumer?.disconnect().catch(() => undefined);
    if (this.isMember || !ended) return ended;
    await within(JOINING_MS, ended, () => undefined);
  }

  private async open(): Promise<void> {
    const { kafka, config, topic, eachBatch, onAssigned, onPassed } = this.options;
    const consumer = kafka.consumer({ allowAutoTopicCreation: false, ...config });
    this.consumer = consumer;
    this.isMember = false;
    const joined = new Promise<void>((resolve) => {
      consumer.on(consumer.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
        this.isMember = true;
        const { [topic]: assigned = [] } = memberAssignment;
        onAssigned?.(new Set(assigned));
        resolve();
      });
    });
    consumer.on(consumer.events.REBALANCING, () => void (this.isMember = false));
    if (onPassed)
      consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload: { partition, lastOffset } }) =>
        onPassed(partition, BigInt(lastOffset)),
      );
    consumer.on(consumer.events.CRASH, ({ payload: { restart, error } }) => {
      // With `restart`, the client itself opens the consumer again.
      if (!restart) this.reopen(consumer, error);
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => eachBatch(payload, consumer),
    });
    // It was closed while it joined. It would keep its partitions from the others.
    if (this.closing.signal.aborted) return consumer.disconnect();
    await joined;
  }

  private reopen(failed: Consumer, error: unknown): void {
    this.options.log.error({ err: error }, 'a Kafka consumer ended and is opened again');
    this.opening = (async () => {
      await failed.disconnect().catch(() => undefined);
      while (!this.closing.signal.aborted) {
        await pause(REOPEN_MS, this.closing.signal);
        if (this.closing.signal.aborted) return;
        try {
          return await this.open();
        } catch (again) {
          this.options.log.error({ err: again }, 'a Kafka consumer cannot be opened');
          await this.consumer?.disconnect().catch(() => undefined);
        }
      }
    })();
  }
}
