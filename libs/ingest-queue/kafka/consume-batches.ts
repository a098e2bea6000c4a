import type { Batch, Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import type { ConsumeOptions, Delivery, QueuedRecord } from '../ingest-queue.js';
import { hasMovedOn } from './failure.js';
import type { GroupProgress } from './group-progress.js';
import { Handover } from './handover.js';
import type { KafkaLog } from './kafka-client.js';
import type { PlainProducer } from './plain-producer.js';
import { nextOffset, slices, textHeaders } from './slices.js';
import { SteadyConsumer } from './steady-consumer.js';
import type { Topics } from './topics.js';

export interface BatchConsumerOptions {
  readonly kafka: Kafka;
  readonly log: KafkaLog;
  readonly producer: PlainProducer;
  readonly progress: GroupProgress;
  readonly groupId: string;
  readonly topics: Topics;
  /** At least what one record batch of the topic may have. */
  readonly fetchBytes: number;
  /** What partitions' numbers begin with, as everybody else sees them. */
  readonly firstPartition: number;
}

/** How long a consumer may say nothing before the others take its partitions. */
const SESSION_TIMEOUT_MS = 10_000;
/** How long a rebalance waits for those who still write what they have. */
const REBALANCE_TIMEOUT_MS = 120_000;
const HEARTBEAT_MS = 2000;
const FETCH_WAIT_MS = 250;

/** A member of the writers' group. Its handler returns only when a delivery is done with, and so holds a rebalance until then. */
export class BatchConsumer {
  private readonly handover = new Handover<Delivery>();
  private readonly consumer: SteadyConsumer;
  private readonly ended = new AbortController();
  private assigned: ReadonlySet<number> = new Set();
  private epochs = new Map<number, bigint>();

  constructor(
    private readonly options: BatchConsumerOptions,
    private readonly consuming: ConsumeOptions,
  ) {
    const { kafka, log, groupId, topics, fetchBytes } = options;
    this.consumer = new SteadyConsumer({
      kafka,
      log,
      topic: topics.batches,
      config: {
        groupId,
        sessionTimeout: SESSION_TIMEOUT_MS,
        rebalanceTimeout: REBALANCE_TIMEOUT_MS,
        heartbeatInterval: HEARTBEAT_MS,
        maxBytesPerPartition: fetchBytes,
        maxBytes: consuming.maxBytes,
        maxWaitTimeInMs: FETCH_WAIT_MS,
      },
      eachBatch: (payload, consumer) => this.deliver(payload, consumer),
      onAssigned: (partitions) => {
        this.assigned = partitions;
        this.epochs = new Map();
      },
    });
  }

  async *deliveries(): AsyncGenerator<Delivery> {
    const ended = AbortSignal.any([this.consuming.signal, this.ended.signal]);
    try {
      await this.consumer.start();
      yield* this.handover.items(ended);
    } finally {
      this.ended.abort();
      await this.consumer.close();
    }
  }

  private async deliver(payload: EachBatchPayload, consumer: Consumer): Promise<void> {
    const { batch } = payload;
    const heartbeat = (): Promise<void> => payload.heartbeat();
    const { maxRecords: most, maxBytes } = this.consuming;
    for (const part of slices(batch.messages, { most, maxBytes })) {
      if (this.over(payload)) return;
      const epoch = await this.epochOf(batch.partition);
      const beating = setInterval(() => void heartbeat().catch(() => undefined), HEARTBEAT_MS);
      try {
        const kept = await this.hand(part, { batch, consumer, epoch });
        if (!kept) return this.again(batch, part);
        payload.resolveOffset(part.at(-1)?.offset ?? '');
      } finally {
        clearInterval(beating);
      }
    }
    // Tells of a rebalance that began meanwhile, by throwing.
    await heartbeat();
  }

  private over(payload: EachBatchPayload): boolean {
    const ended = this.consuming.signal.aborted || this.ended.signal.aborted;
    if (ended || !payload.isRunning() || payload.isStale()) return true;
    return !this.assigned.has(payload.batch.partition);
  }

  /** @returns false when it was given back. */
  private async hand(
    part: readonly KafkaMessage[],
    { batch, consumer, epoch }: { batch: Batch; consumer: Consumer; epoch: bigint },
  ): Promise<boolean> {
    const { partition, topic } = batch;
    let kept = true;
    const next = nextOffset(part, batch);
    const outward = this.options.firstPartition + partition;
    await this.handover.offer({
      partition: outward,
      epoch,
      records: part.map((message) => toRecord(outward, message)),
      commit: async () => {
        await consumer
          .commitOffsets([{ topic, partition, offset: next }])
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

  /** From the first record of this part, under a new epoch. */
  private again({ partition, topic }: Batch, part: readonly KafkaMessage[]): void {
    this.epochs.delete(partition);
    if (this.ended.signal.aborted || this.consuming.signal.aborted) return;
    this.consumer.seek({ topic, partition, offset: part[0]?.offset ?? '0' });
  }

  /** Ordered by the broker, so that it is clear who was last given a partition. */
  private async epochOf(partition: number): Promise<bigint> {
    const known = this.epochs.get(partition);
    if (known !== undefined) return known;
    const { producer, topics } = this.options;
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
