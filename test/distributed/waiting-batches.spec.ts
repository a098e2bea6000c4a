import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import type { IngestQueue } from '@app/ingest-queue';
import { readWaitingHeaders } from '../../libs/ingest-queue/kafka/consume/waiting-topic-headers.js';
import { openKafka } from '../../libs/ingest-queue/kafka/open-kafka.js';
import { sharedBroker, type Broker } from '../server/kafka/kafka-server.js';
import { take } from '../contract/ingest-queue.contract.js';

const { Kafka, logLevel } = kafkajs;
const TIMEOUT_MS = 120_000;
const MAX_BYTES = 10_000_000;
const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };

describe('batches that wait on Kafka', () => {
  let broker: Broker;
  let namespace: string;
  let queue: IngestQueue;
  beforeAll(async () => {
    broker = await sharedBroker();
  }, TIMEOUT_MS);
  afterAll(() => broker.dispose());
  beforeEach(async () => {
    namespace = `waiting-${randomUUID()}`;
    const brokers = [broker.brokers];
    ({ queue } = await openKafka({ brokers, log, namespace, nodeId: 'n', maxBytes: MAX_BYTES, partitions: 3 })); // prettier-ignore
  }, TIMEOUT_MS);
  afterEach(() => queue.close());

  const client = () => new Kafka({ brokers: [broker.brokers], logLevel: logLevel.NOTHING });
  const record = (n: number) => ({
    key: `k${n % 10}`,
    headers: { n: String(n) },
    payload: { bytes: Buffer.alloc(100_000, n) },
  });
  const append = async (from: number, count: number, name?: string): Promise<void> => {
    const records = Array.from({ length: count }, (_, index) => record(from + index));
    await queue.append(records, name === undefined ? undefined : { name, fingerprint: '', answer: '' }); // prettier-ignore
  };
  const waiting = async (bounds?: { messages: number; milliseconds: number }) => {
    const found: number[] = [];
    const options = { brokers: [broker.brokers], log, namespace };
    const unread = await readWaitingHeaders(options, ({ n }) => void found.push(Number(n)), bounds);
    return { found: found.sort((one, other) => one - other), unread };
  };
  const numbers = (from: number, to: number): number[] =>
    Array.from({ length: to - from }, (_, index) => from + index);

  it(
    'is read from where the writers have come to the end, and is left as it is',
    async () => {
      expect(await waiting()).toEqual({ found: [], unread: 0 });
      await append(0, 20);
      await take(queue, 20, true);
      expect(await waiting()).toEqual({ found: [], unread: 0 });
      await append(20, 1);
      // The last offset is a message's here.
      const before = performance.now();
      expect(await waiting()).toEqual({ found: [20], unread: 0 });
      expect(performance.now() - before).toBeLessThan(30_000);
      await append(21, 29);
      // Ends of transactions have offsets, too.
      await append(50, 10, 'named');
      for (let times = 0; times < 2; times += 1)
        expect(await waiting()).toEqual({ found: numbers(20, 60), unread: 0 });
      const taken = await take(queue, 40, true);
      expect(taken).toHaveLength(40);
    },
    TIMEOUT_MS,
  );

  it(
    'ends where the last messages were aborted, and does not tell them',
    async () => {
      await append(0, 3);
      const producer = client().producer({
        transactionalId: `${namespace}.other`,
        idempotent: true,
        maxInFlightRequests: 1,
      });
      await producer.connect();
      const transaction = await producer.transaction();
      const topic = `${namespace}.batches`;
      for (const partition of [0, 1, 2])
        await transaction.send({ topic, messages: [{ partition, headers: { n: '99' }, value: '' }] }); // prettier-ignore
      await transaction.abort();
      await producer.disconnect();
      const before = performance.now();
      expect(await waiting()).toEqual({ found: [0, 1, 2], unread: 0 });
      expect(performance.now() - before).toBeLessThan(30_000);
    },
    TIMEOUT_MS,
  );

  it(
    'is read up to a bound, which is told',
    async () => {
      await append(0, 20);
      const { found, unread } = await waiting({ messages: 8, milliseconds: 60_000 });
      expect([found.length, unread >= 12]).toEqual([8, true]);
      const late = await waiting({ messages: 100, milliseconds: 1 });
      expect(late.found.length + late.unread).toBeGreaterThanOrEqual(20);
    },
    TIMEOUT_MS,
  );

  it(
    'is nothing where there is no queue, and none is made',
    async () => {
      const options = { brokers: [broker.brokers], log, namespace: `${namespace}-no` };
      expect(await readWaitingHeaders(options, () => undefined)).toBe(0);
      const admin = client().admin();
      await admin.connect();
      const topics = await admin.listTopics();
      await admin.disconnect();
      expect(topics.filter((name) => name.startsWith(`${namespace}-no`))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
