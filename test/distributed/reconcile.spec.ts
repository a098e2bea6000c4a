import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { sharedBroker, type Broker } from '../server/kafka/kafka-server.js';
import { runOperator, type Ended } from '../server/run-millrace.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const TIMEOUT_MS = 300_000;

describe('a Kafka that is newer than the events and the tables', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-older-'));
  const opened: { stop(): Promise<unknown> }[] = [];
  let broker: Broker;
  let variables: Record<string, string>;
  beforeAll(async () => {
    broker = await sharedBroker();
  }, TIMEOUT_MS);
  afterAll(async () => {
    for (const each of opened.reverse()) await each.stop();
    await broker.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = async (): Promise<Server> => {
    const server = await startServer({ dataDirectory: join(directory, 'node'), variables });
    opened.push(server);
    return server;
  };
  const reconcile = async (...args: string[]): Promise<Ended> =>
    runOperator(['reconcile', ...args], {
      home: directory,
      variables: { ...variables, MILLRACE_DATA_DIR: join(directory, 'node') },
    });
  const ask = async ({ client }: Server, path: string, body: object): Promise<void> => {
    const { status, bytes } = await client.call(path, { body: JSON.stringify(body) });
    expect([path, status, bytes.toString()]).toEqual([path, 200, expect.any(String)]);
  };

  it(
    'has rows that wait for streams which nobody knows: reconcile tells of them, and adopts them',
    async () => {
      const today = await EventStoreDbDouble.start();
      const tables = join(directory, 'tables');
      let clickHouse = await ClickHouseDouble.start(tables);
      opened.push(today);
      variables = {
        KAFKA_BROKERS: broker.brokers,
        KAFKA_NAMESPACE: basename(directory),
        EVENTSTORE_URL: today.url,
        CLICKHOUSE_URL: clickHouse.url,
        MILLRACE_SECRET_KEY: randomBytes(32).toString('base64'),
        MILLRACE_LOG_LEVEL: 'fatal',
      };
      const first = await start();
      await ask(first, '/api/default/logs/_json?wait=true', [{ n: 1 }]);
      await first.stop();
      await clickHouse.stop();
      cpSync(tables, join(directory, 'yesterday'), { recursive: true });
      const { size } = today.log;

      clickHouse = await ClickHouseDouble.start(tables, clickHouse.port);
      const second = await start();
      await ask(second, '/api/default/late/_json?wait=true', [{ n: 0, of: { x: 'z' } }]);
      await clickHouse.kill();
      await ask(second, '/api/default/late/_json', [{ n: 1, of: { x: 'y' } }, { n: 2 }]);
      await second.kill();

      const restored = await EventStoreDbDouble.start(today.log.first(size));
      clickHouse = await ClickHouseDouble.start(join(directory, 'yesterday'));
      opened.push(restored, clickHouse);
      variables = { ...variables, EVENTSTORE_URL: restored.url, CLICKHOUSE_URL: clickHouse.url };
      const listed = await reconcile();
      expect([listed.code, listed.stdout]).toEqual([
        1,
        expect.stringMatching(
          /^default: 2 rows wait for the table late, of which neither events nor tables know$/m,
        ),
      ]);
      expect((await reconcile()).stdout).toBe(listed.stdout);
      expect(await reconcile('--adopt')).toMatchObject({ code: 0 });
      const third = await start();
      await until(async () => {
        const rows = await third.client.sql('SELECT n, of FROM late ORDER BY n');
        if (rows.length === 0) return false;
        expect(rows).toEqual([
          { n: 1, of: { x: 'y' } },
          { n: 2, of: null },
        ]);
        return true;
      });
      await third.stop();
      expect(await reconcile()).toMatchObject({ code: 0, stdout: 'nothing differs\n' });
    },
    TIMEOUT_MS,
  );
});
