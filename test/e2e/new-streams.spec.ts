import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import type { Answer } from '../server/client.js';
import { breath, rounds } from '../rounds.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

// On a busy machine hundreds of tables take their time.
const TIMEOUT_MS = 240_000;
/** Each of four requests names so many; in the campaign as many as a bulk request may name. */
const STREAMS = rounds(25, 200);

interface BulkAnswer {
  readonly errors: boolean;
  readonly items: readonly Readonly<Record<string, { readonly status: number }>>[];
}

describe('streams that are new', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const bulkInto = (prefix: string): Promise<Answer> => {
    const lines = Array.from(
      { length: STREAMS },
      (_, n) =>
        `${JSON.stringify({ index: { _index: `${prefix}-${n}` } })}\n` +
        `${JSON.stringify({ id: n, name: `name ${n}`, share: n / 7, tags: ['a', 'b'] })}\n`,
    );
    return server.client.call('_bulk?wait=true', {
      body: lines.join(''),
      headers: { 'content-type': 'application/x-ndjson' },
    });
  };

  it(
    'are made by the hundred, by several requests at once',
    async () => {
      const answers = await Promise.all(['a', 'b', 'c', 'd'].map(bulkInto));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      for (const answer of answers) {
        const { errors, items } = answer.json<BulkAnswer>();
        expect([errors, items.length]).toEqual([false, STREAMS]);
      }
      const last = STREAMS - 1;
      expect(await server.client.sql(`SELECT id, name FROM "c-${last}"`)).toEqual([
        { id: last, name: `name ${last}` },
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'are listed by the hundred, each with the times of its own rows',
    async () => {
      const names = Array.from({ length: 70 }, (_, n) => `listed-${n}`);
      const time = (n: number): number => (1_767_225_600 + n) * 1_000_000;
      const lines = names.map(
        (name, n) =>
          `${JSON.stringify({ index: { _index: name } })}\n${JSON.stringify({ _timestamp: time(n), n })}\n`,
      );
      const body = lines.join('');
      expect((await server.client.call('_bulk?wait=true', { body })).status).toBe(200);
      const answer = await server.client.call('streams?keyword=listed-&limit=100');
      const { list } = answer.json<{ list: { name: string; stats: Record<string, number> }[] }>();
      expect(list.map(({ name }) => name).sort()).toEqual([...names].sort());
      for (const { name, stats } of list) {
        const own = time(Number(name.slice('listed-'.length)));
        expect([name, stats]).toEqual([
          name,
          expect.objectContaining({ doc_num: 1, doc_time_min: own, doc_time_max: own }),
        ]);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'are seen with their columns or not at all',
    async () => {
      const names = Array.from({ length: 12 }, (_, n) => `seen${n}`);
      const answers: Answer[] = [];
      let done = false;
      const read = async (name: string): Promise<void> => {
        while (!done) {
          const answer = await server.client.call('sql', {
            body: `SELECT id, at.city FROM ${name}`,
          });
          answers.push(answer);
          await breath();
        }
      };
      const readers = names.map(read);
      for (const name of names)
        await server.client.upload(name, [{ id: 1, at: { city: 'Bern' }, more: [1, 2] }]);
      done = true;
      await Promise.all(readers);
      const others = answers.filter(({ status }) => status !== 200 && status !== 404);
      expect(others.map(({ bytes }) => bytes.toString())).toEqual([]);
      expect(answers.some(({ status }) => status === 200)).toBe(true);
    },
    TIMEOUT_MS,
  );

  it('that settings make have them, their columns and their past in one event', async () => {
    const made = await server.client.call('streams/declared/settings', {
      method: 'PUT',
      body: JSON.stringify({
        columns: { host: 'Utf8', code: 'Int64' },
        data_retention: 30,
        partition_keys: ['code'],
        full_text_search_keys: ['host'],
      }),
    });
    expect(made.status).toBe(200);
    const audit = await server.client.sql<{ type: string; data: string }>(
      "SELECT type, data FROM _audit WHERE stream LIKE 'stream-%' AND data LIKE '%\"declared\"%'",
    );
    expect(audit.map(({ type }) => type)).toEqual(['StreamCreated']);
    expect(JSON.parse(audit[0]?.data ?? '')).toMatchObject({
      columns: [
        { name: 'host', type: 'Nullable(String)' },
        { name: 'code', type: 'Nullable(Int64)' },
      ],
      settings: { dataRetention: 30, partitionKeys: ['code'], fullTextSearchKeys: ['host'] },
    });
    const schema = await server.client.call('declared/schema');
    expect(schema.json()).toMatchObject({
      schema: [
        { name: '_timestamp', type: 'Timestamp' },
        { name: 'host', type: 'Utf8' },
        { name: 'code', type: 'Int64' },
      ],
      settings: { data_retention: 30, partition_keys: ['code'], full_text_search_keys: ['host'] },
    });
    expect(await server.client.upload('declared', [{ host: 'a', code: 1 }])).toMatchObject({
      successful: 1,
    });
  });
});

describe('streams that are new while ClickHouse is away (double)', () => {
  let directory: string;
  let double: ClickHouseDouble;
  let server: Server;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-new-streams-'));
    double = await ClickHouseDouble.start(join(directory, 'server'));
    server = await startServer({
      dataDirectory: join(directory, 'data'),
      variables: { CLICKHOUSE_URL: double.url },
    });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await server.stop();
    await double.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const upload = (stream: string, rows: readonly object[], key?: string): Promise<Answer> =>
    server.client.call(`/api/default/${stream}/_json`, {
      body: JSON.stringify(rows),
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    });

  it(
    'are refused with nothing stored, and so are new columns; once it is back all are made, and what is sent again is there once',
    async () => {
      await server.client.upload('old', [{ n: 0 }]);
      const { port } = double;
      await double.kill();
      // A storm to one stream, some each to their own, and a new column.
      const startedAt = performance.now();
      const refused = await Promise.all([
        ...Array.from({ length: 15 }, (_, n) => upload('fresh', [{ n }])),
        ...Array.from({ length: 10 }, (_, n) => upload(`fresh${n}`, [{ n }], `key-${n}`)),
        upload('old', [{ n: 1, more: 'new' }]),
      ]);
      expect(performance.now() - startedAt).toBeLessThan(60_000);
      for (const { status, headers, bytes } of refused) {
        expect([status, headers['retry-after']]).toEqual([503, expect.any(String)]);
        expect(bytes.toString()).toContain('nothing of this upload was stored');
      }
      expect((await upload('old', [{ n: 2 }])).status).toBe(200);

      const changed = await server.client.call('users', {
        body: JSON.stringify({
          email: 'late@example.com',
          password: 'Late-Secret-1',
          role: 'member',
        }),
      });
      expect(changed.status).toBe(503);
      expect(changed.bytes.toString()).toContain('nothing was changed');

      double = await ClickHouseDouble.start(join(directory, 'server'), port);
      await until(async () => (await upload('fresh', [{ n: 100 }])).status === 200);
      for (let n = 0; n < 10; n += 1)
        expect((await upload(`fresh${n}`, [{ n }], `key-${n}`)).status).toBe(200);
      await server.client.upload('old', [{ n: 3, more: 'new' }]);
      expect(await server.client.sql('SELECT n, more FROM old ORDER BY n')).toEqual([
        { n: 0, more: null },
        { n: 2, more: null },
        { n: 3, more: 'new' },
      ]);
      expect(await server.client.sql('SELECT n FROM fresh')).toEqual([{ n: 100 }]);
      const { list } = (await server.client.call('streams')).json<{
        list: readonly { readonly name: string }[];
      }>();
      expect(list).toHaveLength(12);
      const users = await server.client.call('users');
      expect(users.bytes.toString()).not.toContain('late@example.com');
    },
    TIMEOUT_MS,
  );
});
