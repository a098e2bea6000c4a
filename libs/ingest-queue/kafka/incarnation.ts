import { randomInt, randomUUID } from 'node:crypto';
import type { Admin, Kafka } from 'kafkajs';
import { certain } from '@app/platform';
import { FIRST_PARTITIONS, PARTITIONS_MAX } from '../first-partition.js';
import type { KafkaLog } from './client/kafka-client.js';
import type { PlainProducer } from './client/plain-producer.js';
import { SteadyConsumer } from './client/steady-consumer.js';

interface IncarnationOptions {
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly log: KafkaLog;
  readonly producer: PlainProducer;
  readonly namespace: string;
  readonly topic: string;
}

/**
 * The number at which this queue's partition numbers start, the same on every node. The first node
 * draws it, and stores it in the first record of a topic. Without it, offsets of an earlier Kafka
 * with the same topics would be taken for offsets of this one.
 */
export async function firstPartition(options: IncarnationOptions): Promise<number> {
  const { kafka, admin, log, producer, namespace, topic } = options;
  const [end] = await admin.fetchTopicOffsets(topic);
  if (BigInt(certain(end, `partition of ${topic}`).high) === 0n) {
    const drawn = randomInt(1, FIRST_PARTITIONS) * PARTITIONS_MAX;
    await producer.send({ topic, partition: 0, messages: [{ value: String(drawn) }] });
  }
  let found: (first: number) => void = () => undefined;
  const first = new Promise<number>((resolve) => (found = resolve));
  const consumer = new SteadyConsumer({
    kafka,
    log,
    topic,
    config: { groupId: `${namespace}.incarnation.${randomUUID()}`, maxWaitTimeInMs: 250 },
    eachBatch: ({ batch }) => {
      const [message] = batch.messages;
      if (message?.value) found(Number(message.value.toString()));
      return Promise.resolve();
    },
  });
  try {
    await consumer.start();
    return await first;
  } finally {
    await consumer.close();
  }
}
