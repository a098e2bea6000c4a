import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

// Two engines start, and start again.
const TIMEOUT_MS = 90_000;

describe('with its tables on a ClickHouse server (double)', () => {
  let directory: string;
  let double: ClickHouseDouble;
  let server: Server;
  const start = () =>
    startServer({
      dataDirectory: join(directory, 'data'),
      variables: { CLICKHOUSE_URL: double.url },
    });

  // One after the other on the same two: a test leaves streams, which no other one has.
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-on-clickhouse-'));
    double = await ClickHouseDouble.start(join(directory, 'server'));
    server = await start();
  }, TIMEOUT_MS);
  afterAll(async () => {
    await server.stop();
    await double.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const sql = (statement: string) => server.client.sql(statement);
  const stats = async (stream: string): Promise<unknown> =>
    (await server.client.call(`/api/default/${stream}/schema`)).json<{ stats: unknown }>().stats;

  it(
    'uploads, rejects, evolves, queries, tells and deletes as ever, and has it all after a restart',
    async () => {
      expect(
        await server.client.upload('shop', [
          { item: 'tea', price: 3, by: { name: 'Ann' }, tags: ['x', 'y'] },
          { item: 'pot', price: 12.5 },
        ]),
      ).toMatchObject({ successful: 2, failed: 0 });
      expect(
        await server.client.upload('shop', [
          { item: 'cup', price: 'four' },
          { item: 'jug', size: 2 },
        ]),
      ).toMatchObject({ successful: 1, failed: 1 });
      const rows = [
        { item: 'jug', price: null, size: 2, who: null, tags: [] },
        { item: 'pot', price: 12.5, size: null, who: null, tags: [] },
        { item: 'tea', price: 3, size: null, who: 'Ann', tags: ['x', 'y'] },
      ];
      const all = 'SELECT item, price, size, by.name AS who, tags FROM shop ORDER BY item';
      expect(await sql(all)).toEqual(rows);
      expect(await sql('SELECT line, stream FROM _rejected')).toEqual([
        { line: 1, stream: 'shop' },
      ]);
      expect(await stats('shop')).toMatchObject({ doc_num: 3 });

      await server.stop();
      server = await start();
      expect(await sql(all)).toEqual(rows);
      const deleted = await server.client.call('/api/default/streams/shop', { method: 'DELETE' });
      expect(deleted.status).toBe(200);
      expect((await server.client.call('/api/default/shop/schema')).status).toBe(404);
      expect(await sql('SELECT count() AS n FROM _rejected')).toEqual([{ n: 0 }]);
      expect(await server.client.upload('shop', [{ item: 1 }])).toMatchObject({ successful: 1 });
      expect(await sql('SELECT item FROM shop')).toEqual([{ item: 1 }]);
      const types = (await sql('SELECT type FROM _audit ORDER BY position')) as { type: string }[];
      expect(types.map(({ type }) => type)).toContain('StreamDeleted');
    },
    TIMEOUT_MS,
  );

  it(
    'lets a reader ask for the types of an answer, as histograms and Parquet need',
    async () => {
      const time = '2026-01-02T03:04:05Z';
      await server.client.upload('clocks', [{ _timestamp: time, n: 1 }]);
      const aggs = { a: 'SELECT histogram(_timestamp) AS t, count() AS n FROM query GROUP BY t' };
      const found = await server.client.call('/api/default/_search', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: { sql: 'SELECT * FROM clocks' }, aggs }),
      });
      expect(found.json()).toMatchObject({ aggs: { a: [{ t: '2026-01-02T03:00:00', n: 1 }] } });
      const headers = { accept: 'application/parquet' };
      const parquet = await server.client.call('/api/default/sql', {
        headers,
        body: 'SELECT * FROM clocks',
      });
      expect([parquet.status, parquet.bytes.subarray(0, 4).toString()]).toEqual([200, 'PAR1']);
      const foreign = await server.client.call('/api/default/sql', {
        headers,
        body: 'SELECT * FROM system.tables',
      });
      expect(foreign.status).toBe(403);
    },
    TIMEOUT_MS,
  );

  it(
    'goes on taking uploads while the server is away, and has each row once when it is back',
    async () => {
      await server.client.upload('logs', [{ n: 0 }]);
      const { port } = double;
      await double.kill();
      for (let n = 1; n <= 5; n += 1) {
        const answer = await server.client.call('/api/default/logs/_json', {
          body: JSON.stringify([{ n }]),
        });
        expect(answer.status).toBe(200);
      }
      const refused = await server.client.call('/api/default/sql', { body: 'SELECT n FROM logs' });
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
      expect(refused.json()).toMatchObject({ message: expect.stringContaining('cannot be reached') as string }); // prettier-ignore
      double = await ClickHouseDouble.start(double.directory, port);
      expect(await server.client.upload('logs', [{ n: 6 }])).toMatchObject({ successful: 1 });
      expect(await sql('SELECT n FROM logs ORDER BY n')).toEqual(
        Array.from({ length: 7 }, (_, n) => ({ n })),
      );
    },
    TIMEOUT_MS,
  );

  it(
    'ends a query on the server when its client leaves',
    async () => {
      await server.client.upload('read', [{ n: 0 }]);
      const running = async (): Promise<number> => {
        const { username, password, origin } = new URL(double.url);
        const answer = await fetch(origin, {
          method: 'POST',
          headers: {
            authorization: `Basic ${Buffer.from(`${username}:${decodeURIComponent(password)}`).toString('base64')}`,
          },
          body: "SELECT count() FROM system.processes WHERE user = 'millrace_reader'",
        });
        return Number(await answer.text());
      };
      // Reads little, sends its first rows at once, and takes minutes.
      const long =
        'SELECT a.number FROM numbers(300000) AS a, numbers(300000) AS b WHERE cityHash64(a.number, b.number) % 50000 = 0';
      await server.client.leaveAfterFirstBytes(long, () =>
        until(async () => (await running()) === 1),
      );
      await until(async () => (await running()) === 0);
    },
    TIMEOUT_MS,
  );

  it(
    'does not start without the server, and says why without the password',
    async () => {
      await server.stop();
      await double.stop();
      const failed: unknown = await start().catch((error: unknown) => error);
      expect(String(failed)).toMatch(
        /CLICKHOUSE_URL: ClickHouse at 127\.0\.0\.1:\d+: .*ECONNREFUSED/,
      );
      expect(String(failed)).not.toMatch(/Double-1/);
      double = await ClickHouseDouble.start(double.directory);
      server = await start();
    },
    TIMEOUT_MS,
  );
});
