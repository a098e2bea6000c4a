import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKafka } from '../../libs/ingest-queue/kafka/open-kafka.js';
import { KafkaServer } from '../server/kafka/kafka-server.js';
import { ingestQueueContract } from './ingest-queue.contract.js';

const MAX_BYTES = 10_000_000;
const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };

describe('on Kafka', () => {
  let server: KafkaServer | undefined;
  let brokers: readonly string[];
  beforeAll(async () => {
    const given = process.env.KAFKA_BROKERS;
    if (given === undefined) server = await KafkaServer.start();
    brokers = (given ?? server?.brokers ?? '').split(',');
  }, 120_000);
  afterAll(() => server?.dispose());

  ingestQueueContract('Kafka', async () => {
    const namespace = `test-${randomUUID()}`;
    const directory = mkdtempSync(join(tmpdir(), 'millrace-queue-'));
    const open = () =>
      openKafka({
        brokers,
        log,
        namespace,
        nodeId: 'node',
        maxBytes: MAX_BYTES,
        // The contract speaks of one partition.
        partitions: 1,
      });
    let { queue } = await open();
    return {
      queue,
      maxBytes: MAX_BYTES,
      payloadFile: (name) => join(directory, name),
      reopen: async () => {
        await queue.close();
        ({ queue } = await open());
        return queue;
      },
      dispose: async () => {
        await queue.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  });
});
