import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { certain } from '@app/platform';
import { Handover } from '@app/flow';
import type { KafkaLog } from '../client/kafka-client.js';
import { slices } from './slices.js';
import { SteadyConsumer } from '../client/steady-consumer.js';

interface GroupMemberOptions {
  readonly kafka: Kafka;
  readonly log: KafkaLog;
  readonly groupId: string;
  readonly topic: string;
  /** It is at least the largest size of a record batch in the topic. */
  readonly fetchBytes: number;
  readonly signal: AbortSignal;
  /** The most messages in a slice. */
  readonly most: number;
  readonly maxBytes: number;
  /** The partitions were assigned again, so knowledge about the earlier ones is outdated. */
  readonly onAssigned: () => void;
  /**
   * Offers a slice of the fetched messages, and waits until it is done with.
   * @returns false when the consumer has moved to another offset of the partition
   */
  readonly eachSlice: (slice: Slice) => Promise<boolean>;
}

/** Messages of one partition, in order; at least one. */
export interface Slice {
  readonly messages: readonly KafkaMessage[];
  readonly batch: EachBatchPayload['batch'];
  readonly consumer: Consumer;
}

/** If a consumer sends no heartbeat for so long, its partitions go to others. */
const SESSION_TIMEOUT_MS = 10_000;
/** A rebalance waits so long for members that are still at work. */
const REBALANCE_TIMEOUT_MS = 120_000;
const HEARTBEAT_MS = 2000;
const FETCH_WAIT_MS = 250;

/**
 * A member of a consumer group whose messages a loop takes. Its handler returns only when a slice
 * is done with, and so holds a rebalance until then.
 */
export class GroupMember<Item> {
  private readonly handover = new Handover<Item>();
  private readonly ended = new AbortController();
  private readonly consumer: SteadyConsumer;
  private assigned: ReadonlySet<number> = new Set();

  constructor(private readonly options: GroupMemberOptions) {
    const { kafka, log, groupId, topic, fetchBytes, maxBytes } = options;
    this.consumer = new SteadyConsumer({
      kafka,
      log,
      topic,
      config: {
        groupId,
        sessionTimeout: SESSION_TIMEOUT_MS,
        rebalanceTimeout: REBALANCE_TIMEOUT_MS,
        heartbeatInterval: HEARTBEAT_MS,
        maxBytesPerPartition: fetchBytes,
        maxBytes,
        maxWaitTimeInMs: FETCH_WAIT_MS,
      },
      eachBatch: (payload, consumer) => this.deliver(payload, consumer),
      onAssigned: (partitions) => {
        this.assigned = partitions;
        options.onAssigned();
      },
    });
  }

  async *items(): AsyncGenerator<Item> {
    try {
      await this.consumer.start(this.options.signal);
      yield* this.handover.items(AbortSignal.any([this.options.signal, this.ended.signal]));
    } finally {
      this.ended.abort();
      // The close would wait for a slice that arrives now.
      this.handover.end();
      await this.consumer.close();
    }
  }

  /** Resolves when the loop asks for the next item, or has ended. */
  offer(item: Item): Promise<void> {
    return this.handover.offer(item);
  }

  /** No loop takes items any more. */
  get isOver(): boolean {
    return this.options.signal.aborted || this.ended.signal.aborted;
  }

  private async deliver(payload: EachBatchPayload, consumer: Consumer): Promise<void> {
    const { batch } = payload;
    for (const messages of slices(batch.messages, this.options)) {
      if (this.isPast(payload)) return;
      const beating = setInterval(
        () => void payload.heartbeat().catch(() => undefined),
        HEARTBEAT_MS,
      );
      try {
        if (!(await this.options.eachSlice({ messages, batch, consumer }))) return;
        payload.resolveOffset(certain(messages.at(-1), 'message of a slice').offset);
      } finally {
        clearInterval(beating);
      }
    }
    // Throws if a rebalance began meanwhile.
    await payload.heartbeat();
  }

  private isPast(payload: EachBatchPayload): boolean {
    if (this.isOver || !payload.isRunning() || payload.isStale()) return true;
    return !this.assigned.has(payload.batch.partition);
  }
}
