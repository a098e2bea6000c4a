import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import kafkajs, { type Message } from 'kafkajs';
import { sharedBroker, type Broker } from '../server/kafka/kafka-server.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const { Kafka, logLevel } = kafkajs;

const DEAD = 20_000;
const TABLES = 300;

/** One request to the brokers for each would take a transaction longer than it may. */
describe('a delivery of many messages', () => {
  let broker: Broker;
  let server: Server;
  let dataDirectory: string;
  let client: kafkajs.Kafka;

  beforeAll(async () => {
    broker = await sharedBroker();
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
    server = await startServer({
      dataDirectory,
      variables: { KAFKA_BROKERS: broker.brokers, KAFKA_UPLOAD_ORGANIZATIONS: 'default' },
    });
    client = new Kafka({ brokers: broker.brokers.split(','), logLevel: logLevel.NOTHING });
  }, 120_000);
  afterAll(async () => {
    await server.stop();
    await broker.dispose();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const send = async (messages: Message[]): Promise<void> => {
    const producer = client.producer();
    await producer.connect();
    await producer.send({
      topic: `${basename(dataDirectory)}.uploads`,
      messages: messages.map((message) => ({ key: 'same', ...message })),
    });
    await producer.disconnect();
  };
  const rows = async (stream: string): Promise<number> => {
    const answer = await server.client.call('/api/default/sql', {
      body: `SELECT count() AS n FROM ${stream}`,
    });
    return answer.status === 200 ? answer.json<[{ n: number }]>()[0].n : 0;
  };
  const deadLetters = async (): Promise<string[]> => {
    const admin = client.admin();
    await admin.connect();
    const [first] = await admin.fetchTopicOffsets(`${basename(dataDirectory)}.dead-letter`);
    await admin.disconnect();
    const values: string[] = [];
    const consumer = client.consumer({ groupId: `${basename(dataDirectory)}-look` });
    await consumer.connect();
    await consumer.subscribe({
      topics: [`${basename(dataDirectory)}.dead-letter`],
      fromBeginning: true,
    });
    let next = 0;
    await consumer.run({
      eachMessage: ({ message: { value, offset } }) => {
        values.push(String(value));
        next = Number(offset) + 1;
        return Promise.resolve();
      },
    });
    // The last place may be a transaction's end.
    await until(() => Promise.resolve(next + 1 >= Number(first?.offset ?? 0)));
    await consumer.disconnect();
    return values;
  };

  it('buries those that belong nowhere, once each, and stores what came with them', async () => {
    await send(Array.from({ length: DEAD }, (_, n) => ({ value: `nowhere ${n}` })));
    const headers = { organization: 'default', stream: 'tables', format: 'csv' };
    await send(Array.from({ length: TABLES }, (_, n) => ({ headers, value: `n\n${n}\n` })));
    await send([{ headers: { organization: 'default', stream: 'last' }, value: '{"n":1}' }]);
    await until(async () => (await rows('last')) === 1 && (await rows('tables')) === TABLES);
    expect(
      await server.client.sql('SELECT count() AS rows, uniqExact(n) AS different FROM tables'),
    ).toEqual([{ rows: TABLES, different: TABLES }]);
    const dead = await deadLetters();
    expect(dead).toHaveLength(DEAD);
    expect(new Set(dead).size).toBe(DEAD);
  }, 180_000);
});
