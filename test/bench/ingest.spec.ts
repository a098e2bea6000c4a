import { writeAccessLog, writeAccessLogCsv } from '../fixtures/access-log.js';
import { KafkaServer } from '../server/kafka/kafka-server.js';
import { uploadBesideEngine } from './upload-beside-engine.js';

const MEMORY_GROWTH_MAX = 256 * 1024 * 1024;

const NDJSON = {
  write: writeAccessLog,
  route: '_json',
  contentType: 'application/x-ndjson',
  format: 'JSONEachRow',
} as const;
const CSV = {
  write: writeAccessLogCsv,
  route: '_csv',
  contentType: 'text/csv',
  format: 'CSVWithNames',
} as const;

describe('ingest beside the engine alone', () => {
  it('counts exactly, keeps memory bounded, and tells its time beside the raw insert', async () => {
    const title = 'Ingest over HTTP beside the raw INSERT … SELECT … FROM file(…)';
    expect(await uploadBesideEngine({ title, ...NDJSON })).toBeLessThan(MEMORY_GROWTH_MAX);
  }, 300_000);

  it('does so for CSV', async () => {
    const title = 'CSV over HTTP beside the raw INSERT … SELECT … FROM file(…)';
    expect(await uploadBesideEngine({ title, ...CSV })).toBeLessThan(MEMORY_GROWTH_MAX);
  }, 300_000);

  it('does so through Kafka', async () => {
    const kafka = await KafkaServer.start();
    try {
      const title = 'NDJSON over HTTP and Kafka beside the raw INSERT … SELECT … FROM file(…)';
      const variables = { KAFKA_BROKERS: kafka.brokers };
      const growth = await uploadBesideEngine({ title, ...NDJSON, variables });
      expect(growth).toBeLessThan(MEMORY_GROWTH_MAX);
    } finally {
      await kafka.dispose();
    }
  }, 300_000);
});
