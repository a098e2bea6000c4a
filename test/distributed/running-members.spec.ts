import { randomUUID } from 'node:crypto';
import type { IngestQueue } from '@app/ingest-queue';
import { openKafka } from '../../libs/ingest-queue/kafka/open-kafka.js';
import { runningMembers } from '../../libs/ingest-queue/kafka/running-members.js';
import { take } from '../contract/ingest-queue.contract.js';
import { sharedBroker, type Broker } from '../server/kafka/kafka-server.js';

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 10_000_000;
const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };

describe('processes of an installation on Kafka', () => {
  let broker: Broker;
  let queues: IngestQueue[];
  beforeAll(async () => {
    broker = await sharedBroker();
  }, TIMEOUT_MS);
  afterAll(() => broker.dispose());
  beforeEach(() => (queues = []));
  afterEach(async () => {
    for (const queue of queues) await queue.close();
  });

  const open = async (namespace: string, nodeId: string): Promise<IngestQueue> => {
    const brokers = [broker.brokers];
    const { queue } = await openKafka({ brokers, log, namespace, nodeId, maxBytes: MAX_BYTES, partitions: 3 }); // prettier-ignore
    queues.push(queue);
    return queue;
  };
  const members = (namespace: string) =>
    runningMembers({ brokers: [broker.brokers], log, namespace });

  it(
    'are seen as long as they run, and none of another installation',
    async () => {
      const namespace = `running-${randomUUID()}`;
      expect(await members(namespace)).toEqual([]);
      // Its groups begin with the other's name, as that of a group does.
      const other = await open(`${namespace}.names.x`, 'n');
      expect(await members(namespace)).toEqual([]);
      const [first, second] = [await open(namespace, 'a'), await open(namespace, 'b')];
      expect(await members(namespace)).toHaveLength(2);
      await first.close();
      expect((await members(namespace)).map(({ host }) => host)).toEqual([
        expect.stringMatching(/^[\d.:a-f]+$/),
      ]);
      const record = { key: 'k', headers: {}, payload: { bytes: Buffer.from('x') } };
      await second.append([record]);
      await take(second, 1, true);
      await second.close();
      expect(await members(namespace)).toEqual([]);
      await other.close();
      queues = [];
    },
    TIMEOUT_MS,
  );
});
