import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { KafkaServer } from '../server/kafka/kafka-server.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

// A broker and two engines start.
const START_MS = 120_000;
const TIMEOUT_MS = 180_000;
const SILENT_MS = 13_000;
const GIVES_UP_MS = 30_000;

describe('a server whose stores hang', () => {
  let directory: string;
  let kafka: KafkaServer;
  let tables: ClickHouseDouble;
  let server: Server;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-away-'));
    [kafka, tables] = await Promise.all([
      KafkaServer.start(),
      ClickHouseDouble.start(join(directory, 'tables')),
    ]);
    const started = await startServer({
      dataDirectory: join(directory, 'data'),
      variables: {
        KAFKA_BROKERS: kafka.brokers,
        CLICKHOUSE_URL: tables.url,
        MILLRACE_QUERY_TIMEOUT_SECONDS: '3',
      },
    });
    server = started;
    await server.client.upload('logs', [{ n: 0 }]);
  }, START_MS);
  afterEach(() => {
    kafka.resume();
    tables.resume();
  });
  afterAll(async () => {
    if (server as Server | undefined) await server.kill();
    await tables.kill();
    await kafka.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  const ready = async (): Promise<string> =>
    (await server.client.call('/readyz', { credentials: 'none' })).bytes.toString();
  const upload = (n: number, headers = {}) =>
    server.client.call('/api/default/logs/_json', { body: JSON.stringify([{ n }]), headers });

  it(
    'answers uploads 503 while Kafka hangs, goes on with queries, and stores what is sent again once',
    async () => {
      kafka.pause();
      const silentSince = performance.now();
      // After ten seconds of silence nobody waits for the retries of the brokers' client.
      await until(
        async () =>
          (await ready()).includes('"away":{"queue"') &&
          performance.now() - silentSince > SILENT_MS,
      );
      const key = { 'idempotency-key': 'sent-again' };
      const startedAt = performance.now();
      const refused = await upload(1, key);
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, expect.any(String)]);
      expect(performance.now() - startedAt).toBeLessThan(GIVES_UP_MS);
      expect(await server.client.count('logs')).toBe(1);
      kafka.resume();
      await until(async () => (await upload(1, key)).status === 200);
      await until(async () => (await ready()) === '{"status":"ok"}');
      expect((await upload(1, key)).status).toBe(200);
      await server.client.upload('logs', [{ n: 2 }]);
      expect(await server.client.sql('SELECT n FROM logs ORDER BY n')).toEqual([
        { n: 0 },
        { n: 1 },
        { n: 2 },
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'gives up on queries within their time while ClickHouse hangs, and goes on with uploads',
    async () => {
      tables.pause();
      const startedAt = performance.now();
      const asked = await server.client.call('/api/default/sql', { body: 'SELECT n FROM logs' });
      expect([408, 503]).toContain(asked.status);
      expect(performance.now() - startedAt).toBeLessThan(GIVES_UP_MS);
      expect((await upload(3)).status).toBe(200);
      tables.resume();
      await server.client.upload('logs', [{ n: 4 }]);
      expect(await server.client.count('logs')).toBe(5);
    },
    TIMEOUT_MS,
  );
});
