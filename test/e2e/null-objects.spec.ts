import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEdge, type Edge } from '../server/start-edge.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const fixture = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../fixtures/parquet', name));

type Row = Record<string, unknown>;

/** `make_files.py` made these rows. Nulls within an object are left out. */
const ROWS: readonly Row[] = Array.from({ length: 300 }, (_, i) => ({
  id: i,
  s: [{ a: i, b: `b${i}`, in: { z: i } }, null, {}][i % 3],
  m: [{ [`k${i % 2}`]: i }, null, {}, {}][i % 4],
  l: [{ t: [i, i + 1] }, null, { t: [] }, { t: [] }, { t: [null] }][i % 5],
  r: i % 7 === 1 ? null : { q: i },
  runs: i >= 70 && i < 260 ? null : { x: i },
  never: { x: i },
  always: null,
}));
const CODECS = ['none', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4'];

describe('objects that are null', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const ask = async (sql: string): Promise<unknown> => {
    const { status, bytes } = await server.client.call('sql', { body: sql });
    return status === 200 ? JSON.parse(bytes.toString()) : [status, bytes.toString()];
  };
  const post = async (stream: string, body: Buffer): Promise<unknown> => {
    const { status, bytes } = await server.client.call(`${stream}/_parquet?wait=true`, {
      method: 'POST',
      body,
    });
    return [status, JSON.parse(bytes.toString())];
  };

  it.each(CODECS.flatMap((codec) => [`${codec}-1`, `${codec}-2`]))(
    'are told apart in a Parquet file (%s)',
    async (name) => {
      const stream = `file_${name.replace('-', '_')}`;
      const [status] = (await post(stream, fixture(`null-objects-${name}.parquet`))) as [number];
      expect(status).toBe(200);
      expect(await ask(`SELECT * EXCEPT (_timestamp) FROM ${stream} ORDER BY id`)).toEqual(ROWS);
    },
  );

  it('go into a column of several kinds as null, and are the absent ones of another file', async () => {
    await server.client.upload('mixed', [
      { id: -1, s: { a: 1 }, m: 'text' },
      { id: -2, s: null },
      { id: -3 },
      { id: -4, s: {} },
    ]);
    const [status, counts] = (await post('mixed', fixture('null-objects-zstd-2.parquet'))) as [
      number,
      Row,
    ];
    // `m` is a column of text: rows in which it is an object do not fit.
    expect([status, counts['status']]).toEqual([
      200,
      [expect.objectContaining({ successful: 75, failed: 225 })],
    ]);
    expect(await ask('SELECT id, s, always FROM mixed WHERE id < 10 ORDER BY id')).toEqual([
      { id: -4, s: {}, always: null },
      { id: -3, s: null, always: null },
      { id: -2, s: null, always: null },
      { id: -1, s: { a: 1 }, always: null },
      ...ROWS.filter(({ m }) => m === null)
        .slice(0, 3)
        .map(({ id, s, always }) => ({ id, s, always })),
    ]);
  });

  const RECORDS = [
    { id: 1, k: { c: 'a', n: 1, d: { e: 1 } } },
    { id: 2, k: null },
    { id: 3 },
    { id: 4, k: {} },
    { id: 5, k: { c: null, d: {} } },
  ];

  it('are null wherever they are asked for', async () => {
    await server.client.upload('t', RECORDS);
    const values = [{ c: 'a', n: 1, d: { e: 1 } }, null, null, {}, {}];
    expect(await ask('SELECT id, k FROM t ORDER BY id')).toEqual(
      values.map((k, index) => ({ id: index + 1, k })),
    );
    expect(await ask('SELECT id FROM t WHERE k IS NULL ORDER BY id')).toEqual([{ id: 2 }, { id: 3 }]); // prettier-ignore
    expect(await ask('SELECT count(k) AS k, count(k.c) AS c, sum(k.n) AS n FROM t')).toEqual([
      { k: 3, c: 1, n: 1 },
    ]);
    expect(await ask("SELECT coalesce(k.c, 'none') AS c, count(*) AS q FROM t GROUP BY c ORDER BY c")).toEqual([{ c: 'a', q: 1 }, { c: 'none', q: 4 }]); // prettier-ignore
    expect(await ask('SELECT k FROM (SELECT k FROM t WHERE id = 2) UNION ALL SELECT k FROM t WHERE id = 4 ORDER BY 1')).toEqual([{ k: {} }, { k: null }]); // prettier-ignore
    const csv = await server.client.call('sql', {
      body: 'SELECT id, k FROM t ORDER BY id',
      headers: { Accept: 'text/csv' },
    });
    expect(csv.bytes.toString().split(/\r?\n/).slice(1, 5)).toEqual([
      '1,"{""c"":""a"",""d"":{""e"":1},""n"":1}"',
      '2,',
      '3,',
      '4,"{}"',
    ]);
    const filtered = await server.client.call('tables/t?columns=id&filter[k]isnull=true&sort=id', { method: 'GET' }); // prettier-ignore
    expect(JSON.parse(filtered.bytes.toString())).toEqual([{ id: 2 }, { id: 3 }]);
    const query = '{ t(sort: [{field: "id"}]) { id k { c d { e } } } }';
    const graphql = await server.client.call('graphql', {
      method: 'POST',
      body: JSON.stringify({ query }),
      headers: { 'Content-Type': 'application/json' },
    });
    const none = { c: null, d: { e: null } };
    expect(JSON.parse(graphql.bytes.toString())).toEqual({
      data: {
        t: [{ c: 'a', d: { e: 1 } }, null, null, none, none].map((k, index) => ({ id: index + 1, k })), // prettier-ignore
      },
    });
  });

  describe('on the edge', () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-nulls-'));
    let edge: Edge;
    beforeAll(async () => {
      const file = join(directory, 't.ndjson');
      writeFileSync(file, RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''));
      edge = await startEdge(['--table', `t=${file}`]);
    });
    afterAll(async () => {
      await edge.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    // Its columns have the fields that are in any record.
    const NONE = { c: null, n: null, d: null };

    it.each<[string, unknown]>([
      ['SELECT id FROM t WHERE k IS NULL ORDER BY id', [{ id: 2 }, { id: 3 }]],
      ['SELECT count(k) AS k, count(k.c) AS c, sum(k.n) AS n FROM t', [{ k: 3, c: 1, n: 1 }]],
      ['SELECT id FROM t WHERE k.d IS NOT NULL ORDER BY id', [{ id: 1 }, { id: 5 }]],
      ['SELECT max(k.d.e) AS e FROM t', [{ e: 1 }]],
      [
        'SELECT id, k FROM t ORDER BY id',
        [{ c: 'a', n: 1, d: { e: 1 } }, null, null, NONE, { ...NONE, d: { e: null } }].map(
          (k, index) => ({ id: index + 1, k }),
        ),
      ],
    ])('answers %s', async (sql, rows) => {
      const { status, text } = await edge.sql(sql);
      expect(status === 200 ? JSON.parse(text) : text).toEqual(rows);
    });
  });
});
