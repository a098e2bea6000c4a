import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const FIXTURES = join(import.meta.dirname, '../fixtures');

describe('upload and query', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it.each([
    ['array', JSON.stringify([{ n: 1 }, { n: 2 }])],
    ['pretty-array', JSON.stringify([{ n: 1 }, { n: 2 }], null, 2)],
    ['object', '{"n":1}'],
    ['pretty-object', JSON.stringify({ n: 1, deep: { a: [1, { b: 2 }] } }, null, 2)],
    ['ndjson', '{"n":1}\n{"n":2}\n'],
    ['blank-lines', '\ufeff\r\n{"n":1}\r\n\r\n   \n{"n":2}'],
    ['empty-array', '[]'],
  ])('takes JSON as %s', async (name, body) => {
    const expected = body === '[]' ? 0 : (body.match(/"n"/g) ?? []).length;
    expect(await server.client.upload(`as-${name}`, body)).toEqual({
      name: `as-${name}`,
      successful: expected,
      failed: 0,
    });
    if (expected > 0) expect(await server.client.count(`as-${name}`)).toBe(expected);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('takes a body in %s', async (encoding, compress) => {
    const body = compress(Buffer.from('{"n":1}\n{"n":2}\n'));
    const status = await server.client.upload(`in-${encoding}`, body, {
      'content-encoding': encoding,
    });
    expect(status).toMatchObject({ successful: 2, failed: 0 });
  });

  it('takes a body in zstd', async () => {
    // {"n":1} and {"n":2} on a line each, by the zstd program, level 19
    const body = readFileSync(join(FIXTURES, 'two-records.ndjson.zst'));
    const status = await server.client.upload('in-zstd', body, { 'content-encoding': 'zstd' });
    expect(status).toMatchObject({ successful: 2, failed: 0 });
  });

  it('takes real files whole: every launch and every nested field', async () => {
    const text = readFileSync(join(FIXTURES, 'roapi/spacex_launches.ndjson'), 'utf8');
    const launches = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; links: { wikipedia: string | null } });
    expect(await server.client.upload('launches', text)).toMatchObject({
      successful: launches.length,
      failed: 0,
    });
    const rows = await server.client.sql<{ name: string; wiki: string | null }>(
      'SELECT name, links.wikipedia AS wiki FROM launches ORDER BY name',
    );
    const expected = launches.map(({ name, links }) => ({ name, wiki: links.wikipedia }));
    expect(rows).toEqual(expected.sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  it('infers types and shows them', async () => {
    const record = {
      s: 'x',
      i: 1,
      f: 1.5,
      b: true,
      o: { a: 1 },
      l: [1, 2],
      m: [1, 'x'],
      big: 2 ** 53,
    };
    await server.client.upload('types', [{ ...record, _timestamp: '2026-01-02T03:04:05.678901Z' }]);
    const answer = await server.client.call('types/schema');
    const { schema, stats } = answer.json<{
      schema: { name: string; type: string }[];
      stats: { doc_num: number };
    }>();
    expect(Object.fromEntries(schema.map(({ name, type }) => [name, type]))).toEqual({
      _timestamp: 'Timestamp',
      s: 'Utf8',
      i: 'Int64',
      f: 'Float64',
      b: 'Boolean',
      o: 'Struct',
      l: 'List',
      m: 'List',
      big: 'Int64',
    });
    expect(stats.doc_num).toBe(1);
    expect(await server.client.sql('SELECT * FROM types')).toEqual([
      { _timestamp: '2026-01-02T03:04:05.678901Z', ...record },
    ]);
    const list = (await server.client.call('streams?keyword=types')).json<{
      total: number;
      list: { name: string }[];
    }>();
    expect([list.total, list.list[0]?.name]).toEqual([1, 'types']);
    expect((await server.client.call('nowhere/schema')).status).toBe(404);
  });

  it('tells seconds, milli-, micro- and nanoseconds apart, and gives the rest the time of acceptance', async () => {
    const before = Date.now();
    await server.client.upload('times', [
      { k: 's', _timestamp: 1_767_225_600 },
      { k: 'ms', _timestamp: 1_767_225_600_000 },
      { k: 'us', _timestamp: 1_767_225_600_000_000 },
      { k: 'frac', _timestamp: 1_767_225_600.5 },
      { k: 'at', '@timestamp': '2026-01-01T01:00:00+01:00' },
      { k: 'none' },
    ]);
    await server.client.upload('times', '{"k":"ns","_timestamp":1767225600000000000}');
    const rows = await server.client.sql<{ k: string; at: number }>(
      'SELECT k, toUnixTimestamp64Milli(_timestamp) AS at FROM times',
    );
    const at = Object.fromEntries(rows.map((row) => [row.k, row.at]));
    const { none = 0, frac, ...named } = at;
    expect(Object.values(named)).toEqual(Array.from({ length: 5 }, () => 1_767_225_600_000));
    expect(frac).toBe(1_767_225_600_500);
    expect(none).toBeGreaterThanOrEqual(before);
    expect(none).toBeLessThanOrEqual(Date.now());
  });

  it('evolves: a new field adds a column, fractions widen an integer column', async () => {
    await server.client.upload('grows', [{ n: 1 }]);
    await server.client.upload('grows', [{ n: 2.5, extra: 'x' }]);
    await server.client.upload('grows', [{ n: 3 }]);
    expect(await server.client.sql('SELECT n, extra FROM grows ORDER BY n')).toEqual([
      { n: 1, extra: null },
      { n: 2.5, extra: 'x' },
      { n: 3, extra: null },
    ]);
  });

  it('does not widen a column that holds integers a float cannot', async () => {
    await server.client.upload('exact', '{"n":9007199254740993}');
    expect(await server.client.upload('exact', '{"n":0.5}')).toMatchObject({
      successful: 0,
      failed: 1,
    });
    expect(await server.client.sql('SELECT toString(n) AS n FROM exact')).toEqual([
      { n: '9007199254740993' },
    ]);
  });

  it('rejects what does not fit, record by record, and keeps it with reason and line', async () => {
    await server.client.upload('strict', [{ i: 1, s: 'x', b: true }]);
    const lines = [
      '{"i":2}',
      '{"i":"3"}',
      '{"i":""}',
      'nope',
      '{"i":true}',
      '[1]',
      '{"s":5}',
      '{"b":1}',
      '{"i":9223372036854775808}',
      '{"i":4,"i":5}',
      '{"_timestamp":"yesterday"}',
      '{"i":6}',
    ];
    const status = await server.client.upload('strict', lines.join('\n'));
    expect(status).toMatchObject({ successful: 2, failed: 10 });
    expect(status.error).toBe(
      'line 2: field "i": string does not fit the column\'s type, Nullable(Int64), without loss',
    );
    const rejected = await server.client.sql<{ line: number; record: string }>(
      "SELECT line, record FROM _rejected WHERE stream = 'strict' ORDER BY line",
    );
    expect(rejected).toEqual(
      lines.flatMap((record, index) =>
        /"i":[26]\}/.test(record) ? [] : [{ line: index + 1, record }],
      ),
    );
    expect(await server.client.sql('SELECT i FROM strict ORDER BY i')).toEqual([
      { i: 1 },
      { i: 2 },
      { i: 6 },
    ]);
  });

  it('answers each of many small uploads at once with its own counts', async () => {
    await server.client.upload('many', [{ n: 0 }]);
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, n) =>
        server.client.upload('many', n % 50 === 49 ? [{ n: 'bad' }, { n }] : [{ n }]),
      ),
    );
    expect(statuses.filter((status) => status.failed === 1)).toHaveLength(4);
    expect(statuses.every((status) => status.successful === 1)).toBe(true);
    expect(await server.client.sql('SELECT count() AS c, uniqExact(n) AS u FROM many')).toEqual([
      { c: 201, u: 200 },
    ]);
  });

  it('reads tables with columns, sort, limit and offset', async () => {
    await server.client.upload('table', [
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
      { a: 3, b: 'z' },
    ]);
    const read = async (query: string) =>
      (await server.client.call(`tables/table?${query}`)).json();
    expect(await read('columns=a&limit=1&sort=-a')).toEqual([{ a: 3 }]);
    expect(await read('columns=b,a&sort=a&limit=1&offset=1')).toEqual([{ b: 'y', a: 2 }]);
    expect(await read('limit=0')).toEqual([]);
  });

  it('sends rows as JSON, NDJSON or CSV, compressed when asked', async () => {
    const get = (headers: Record<string, string>) =>
      server.client.call('sql', { body: 'SELECT 1 AS a, NULL AS b', headers });
    const ndjson = await get({ accept: 'text/html;q=0.2, application/x-ndjson' });
    expect([ndjson.headers['content-type'], ndjson.bytes.toString()]).toEqual([
      'application/x-ndjson; charset=utf-8',
      '{"a":1,"b":null}\n',
    ]);
    expect((await get({ accept: 'text/csv' })).bytes.toString()).toBe('"a","b"\n1,\n');
    const zipped = await get({ 'accept-encoding': 'br;q=0.5, gzip' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(zipped.bytes).toString())).toEqual([{ a: 1, b: null }]);
    expect((await get({ accept: 'image/png' })).status).toBe(406);
  });

  it('stops a query whose client went away, and serves the next', async () => {
    await server.client.leaveAfterFirstBytes(
      'SELECT number, randomPrintableASCII(100) FROM numbers(100000000)',
    );
    expect(await server.client.sql('SELECT 1 AS a')).toEqual([{ a: 1 }]);
  });
});
