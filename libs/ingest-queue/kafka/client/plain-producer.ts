import kafkajs, { type Kafka, type Message, type Producer, type RecordMetadata } from 'kafkajs';
import { KeyedMutex } from '@app/flow';
import { notSent, toFailure, unavailable } from './kafka-failure.js';
import { RETRY } from './kafka-client.js';

/** Messages to one partition. */
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
 * Sends record batches that stand for themselves. The producer is idempotent: a batch that is sent
 * again because no answer came is stored once. When one fails for good, what the producer knows of
 * its sequence may be wrong, so another takes its place.
 *
 * A partition's batches are sent one after the other, each with its retries. The client gives the
 * sequence of a batch that got no answer to the next batch that is sent: a different batch would be
 * taken for the stored one, and acknowledged without being stored.
 */
export class PlainProducer {
  private current: Promise<Producer> | undefined;
  private readonly turns = new KeyedMutex();

  constructor(private readonly kafka: Kafka) {}

  /** Sends messages, which are on all in-sync replicas when it resolves. @returns the first message's offset. @throws {MillraceError} */
  send(outgoing: Outgoing): Promise<bigint> {
    return this.turns.run(`${outgoing.topic}/${outgoing.partition}`, (failure) => {
      // The message before has already waited as long, and many others may wait behind this one.
      if (unavailable(failure)) throw notSent(failure);
      return this.sendNext(outgoing);
    });
  }

  private async sendNext({ topic, partition, messages }: Outgoing): Promise<bigint> {
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
