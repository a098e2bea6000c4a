import kafkajs, { type Kafka, type Message, type Producer, type RecordMetadata } from 'kafkajs';
import { toFailure } from './failure.js';
import { RETRY } from './kafka-client.js';

/** To one partition. */
export interface Outgoing {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly Message[];
}

/** @throws when the broker did not say where it put them. */
export function offsetOf(sent: RecordMetadata | undefined): bigint {
  const offset = BigInt(sent?.baseOffset ?? -1);
  if (offset < 0n) throw new kafkajs.KafkaJSError('the broker does not say where a record is');
  return offset;
}

/**
 * Sends record batches that stand for themselves. The producer is idempotent: a batch that is
 * sent again because no answer came is there once. When one fails for good, what the producer
 * knows of its sequence may be wrong, so another takes its place.
 */
export class PlainProducer {
  private current: Promise<Producer> | undefined;

  constructor(private readonly kafka: Kafka) {}

  /** On all in-sync replicas when it resolves. @returns the first message's offset. @throws {MillraceError} */
  async send({ topic, partition, messages }: Outgoing): Promise<bigint> {
    const connecting = (this.current ??= this.connect());
    try {
      const producer = await connecting;
      const [sent] = await producer.send({
        topic,
        acks: -1,
        compression: kafkajs.CompressionTypes.None,
        messages: messages.map((message) => ({ ...message, partition })),
      });
      return offsetOf(sent);
    } catch (error) {
      this.replace(connecting);
      throw toFailure(error);
    }
  }

  async close(): Promise<void> {
    const connecting = this.current;
    this.current = undefined;
    await connecting?.then((producer) => producer.disconnect()).catch(() => undefined);
  }

  private async connect(): Promise<Producer> {
    const producer = this.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      retry: RETRY,
    });
    await producer.connect();
    return producer;
  }

  private replace(failed: Promise<Producer>): void {
    if (this.current !== failed) return;
    this.current = undefined;
    void failed.then((producer) => producer.disconnect()).catch(() => undefined);
  }
}
