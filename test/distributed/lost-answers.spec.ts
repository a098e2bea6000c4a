import type { Socket } from 'node:net';
import kafkajs, { type Admin, type Kafka } from 'kafkajs';
import { PlainProducer } from '../../libs/ingest-queue/kafka/client/plain-producer.js';
import { steadySocket } from '../../libs/ingest-queue/kafka/client/steady-socket.js';
import { KafkaServer } from '../server/kafka/kafka-server.js';

const TOPIC = 'records';
const ROUNDS = 15;
const AT_ONCE = 6;

describe('a broker whose answer is lost after it has stored a batch', () => {
  const own = process.env.KAFKA_BROKERS;
  let server: KafkaServer | undefined;
  let brokers: string;
  let admin: Admin;
  beforeAll(async () => {
    server = own === undefined ? await KafkaServer.start() : undefined;
    brokers = own ?? server?.brokers ?? '';
    admin = clientOf(brokers, () => false).admin();
    await admin.connect();
  }, 120_000);
  afterAll(async () => {
    await admin.disconnect();
    await server?.dispose();
  });

  it('has each of the batches that were sent at the same time once', async () => {
    const topic = `${TOPIC}-${Date.now()}`;
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
    let isBreaking = false;
    const breaks = (): boolean => {
      const broken = isBreaking;
      isBreaking = false;
      return broken;
    };
    const producer = new PlainProducer(clientOf(brokers, breaks));
    const send = (value: string): Promise<bigint> =>
      producer.send({ topic, partition: 0, messages: [{ value }] });
    await send('first');
    const acknowledged = ['first'];
    for (let round = 0; round < ROUNDS; round += 1) {
      isBreaking = true;
      const values = Array.from({ length: AT_ONCE }, (_, n) => `${round}-${n}`);
      const sent = await Promise.allSettled(values.map(send));
      acknowledged.push(...values.filter((_, n) => sent[n]?.status === 'fulfilled'));
    }
    await producer.close();
    expect(acknowledged.length).toBeGreaterThan(ROUNDS);
    const stored = await valuesIn(topic);
    expect(new Set(stored).size).toBe(stored.length);
    expect(acknowledged.filter((value) => !stored.includes(value))).toEqual([]);
  }, 180_000);

  async function valuesIn(topic: string): Promise<readonly string[]> {
    const [high] = await admin.fetchTopicOffsets(topic);
    const count = Number(high?.high);
    const consumer = clientOf(brokers, () => false).consumer({ groupId: `${topic}-readers` });
    const values: string[] = [];
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const eachMessage = ({ message }: { message: { value: Buffer | null } }): Promise<void> => {
        values.push(String(message.value));
        if (values.length === count) resolve();
        return Promise.resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    await consumer.disconnect();
    return values;
  }
});

/** @param breaks decides for each answer whether it is lost together with its connection */
function clientOf(brokers: string, breaks: () => boolean): Kafka {
  return new kafkajs.Kafka({
    brokers: [brokers],
    retry: { initialRetryTime: 30, maxRetryTime: 300, retries: 9 },
    logLevel: kafkajs.logLevel.NOTHING,
    socketFactory: (options) => {
      const socket: Socket = steadySocket(options);
      const emit = socket.emit.bind(socket);
      socket.emit = (event: string | symbol, ...rest: unknown[]): boolean => {
        if (event !== 'data' || !breaks()) return emit(event, ...rest);
        socket.destroy(new Error('the line is broken'));
        return true;
      };
      return socket;
    },
  });
}
