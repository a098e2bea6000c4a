import { execFileSync } from 'node:child_process';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import { decompress as unzstd } from '@cloudpss/zstd/napi';
import { parquetReadObjects } from 'hyparquet';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const RUNNING = 2;
const WAITING = 3;
/** Takes the engine longer than any test. */
const ENDLESS = 'SELECT sum(cityHash64(number, 1)) AS s FROM numbers(900000000000)';
/** The same sum is computed while the statement is analysed. */
const ENDLESS_SCALAR = `SELECT (${ENDLESS}) AS s`;

describe('SQL over HTTP', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({
      variables: {
        MILLRACE_ORG_QUERIES: String(RUNNING),
        MILLRACE_ORG_QUERIES_WAITING: String(WAITING),
        MILLRACE_QUERY_READ_ROWS: '1000000000000',
      },
    });
    await server.client.upload('shop', [
      { item: 'tea', price: 3, by: { name: 'Ann' } },
      { item: 'pot', price: 12.5 },
    ]);
  });
  afterAll(() => server.stop());

  const sql = (body: string | Buffer, headers: Record<string, string> = {}, query = '') =>
    server.client.call(`/api/default/sql${query}`, { body, headers });
  const MAIN = 'SELECT item, price FROM shop ORDER BY price';
  const ROWS = [
    { item: 'tea', price: 3 },
    { item: 'pot', price: 12.5 },
  ];

  it.each([
    ['application/json', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json; charset=utf-8'],
    ['application/x-ndjson', 'application/x-ndjson; charset=utf-8'],
    ['text/csv', 'text/csv; charset=utf-8'],
    ['text/*', 'text/csv; charset=utf-8'],
    ['application/json;q=0.1, text/csv', 'text/csv; charset=utf-8'],
    ['*/*, application/json;q=0', 'application/x-ndjson; charset=utf-8'],
    ['application/csv', 'application/csv; charset=utf-8'],
    ['application/vnd.apache.arrow.stream', 'application/vnd.apache.arrow.stream'],
    ['application/vnd.apache.arrow.file', 'application/vnd.apache.arrow.file'],
    ['application/arrow.stream', 'application/arrow.stream'],
    ['application/arrow.file', 'application/arrow.file'],
    ['application/parquet', 'application/parquet'],
  ])('answers Accept: %s with %s', async (accept, type) => {
    const { status, headers, bytes } = await sql(MAIN, { accept });
    expect([status, headers['content-type']]).toEqual([200, type]);
    const read = async (): Promise<unknown> => {
      if (type.includes('arrow'))
        return tableFromIPC(bytes)
          .toArray()
          .map((row: { toJSON(): object }) => row.toJSON());
      if (type.includes('parquet'))
        return parquetReadObjects({ file: new Uint8Array(bytes).buffer, utf8: true });
      if (type.includes('ndjson'))
        return bytes
          .toString()
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown);
      if (type.includes('csv')) return bytes.toString();
      return JSON.parse(bytes.toString()) as unknown;
    };
    expect(await read()).toEqual(
      type.includes('csv') ? '"item","price"\n"tea",3\n"pot",12.5\n' : ROWS,
    );
  });

  it.each(['text/html', 'text/plain', 'text/html,application/xhtml+xml', 'text/html,*/*;q=0.8'])(
    'shows rows as JSON to who wants to see %s',
    async (accept) => {
      const answer = await sql(MAIN, { accept });
      expect([answer.status, answer.headers['content-type']]).toEqual([
        200,
        'application/json; charset=utf-8',
      ]);
      const csv = await sql(MAIN, { accept: `${accept}, text/csv;q=0.9` });
      expect(csv.headers['content-type']).toMatch(/^text\/csv/);
    },
  );

  it('refuses what it cannot send', async () => {
    const answer = await sql(MAIN, { accept: 'image/png, application/json;q=0' });
    expect(answer.status).toBe(406);
    expect(answer.json<{ message: string }>().message).toContain('application/parquet');
  });

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['zstd', (bytes: Buffer) => Buffer.from(unzstd(bytes))],
  ] as const)('compresses with %s', async (encoding, undo) => {
    const answer = await sql('SELECT number FROM numbers(100000)', { 'accept-encoding': encoding });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.bytes.length).toBeLessThan(700_000);
    expect(JSON.parse(undo(answer.bytes).toString())).toHaveLength(100_000);
  });

  it('takes a statement from the URL, and compressed', async () => {
    const url = `/api/default/sql?query=${encodeURIComponent(MAIN)}`;
    expect((await server.client.call(url)).json()).toEqual(ROWS);
    expect((await server.client.call('/api/default/sql')).status).toBe(400);
    expect((await sql(gzipSync(MAIN), { 'content-encoding': 'gzip' })).json()).toEqual(ROWS);
    expect((await sql(MAIN, { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await sql(MAIN, { 'content-encoding': 'zip' })).status).toBe(415);
  });

  it.each([
    ['SELECT {x:Int64} + 1 AS y', '?param_x=41', [{ y: 42 }]],
    [
      'SELECT {x:String} AS y',
      `?param_x=${encodeURIComponent("it's \\ {x:String} -- ')")}`,
      [{ y: "it's \\ {x:String} -- ')" }],
    ],
    ['SELECT {x:Array(UInt8)} AS y', '?param_x=[1,2]', [{ y: [1, 2] }]],
    ["SELECT '{x:Int64}' AS y", '', [{ y: '{x:Int64}' }]],
    [
      'SELECT item AS y FROM {t:Identifier} WHERE {c:Identifier} > {p:Float64}',
      '?param_t=shop&param_c=price&param_p=3.5',
      [{ y: 'pot' }],
    ],
    [
      "SELECT toString({d:DateTime64(3, 'UTC')}) AS y",
      '?param_d=2026-01-02%2003:04:05.678',
      [{ y: '2026-01-02 03:04:05.678' }],
    ],
    ['SELECT item AS y FROM shop ORDER BY price LIMIT {n:UInt64}', '?param_n=1', [{ y: 'tea' }]],
  ])('binds the values of %s', async (statement, query, rows) => {
    expect((await sql(statement, {}, query)).json()).toEqual(rows);
  });

  it.each([
    ['SELECT {x:Int64}', '', 400, /no value; send it as param_x/],
    ['SELECT {x:Int64}', '?param_x=1%20OR%201', 400, /./],
    ['SELECT 1 FROM {t:Identifier}', '?param_t=system.tables', 404, /no stream "system.tables"/],
    [
      'SELECT 1 FROM {t:Identifier}',
      `?param_t=${encodeURIComponent('shop` WHERE 1 --')}`,
      404,
      /./,
    ],
    ['SELECT {f:Identifier}(1)', '?param_f=file', 400, /./],
    ['SELECT 1', '?parm_x=1', 400, /unknown parameter "parm_x"/],
    ['SELECT 1', '?param_x=1&param_x=2', 400, /twice/],
    ['SELECT itm FROM shop', '', 400, /no column "itm", at line 1, column 8; did you mean "item"/],
    ['SELECT item\nFROM shp', '', 404, /"shp".* at line 2, column 6; did you mean "shop"/],
    [
      'SELECT lenght(item) FROM shop',
      '',
      400,
      /lenght.* at line 1, column 8; did you mean "length"/,
    ],
    ['SELECT\n  item,\n  price FRM shop', '', 400, /syntax error at line 3, column \d+/],
    ["SELECT 'ünï', ) FROM shop", '', 400, /syntax error at line 1, column 15/],
    ['SELECT item FROM shop WHERE item = "tea"', '', 400, /no column "tea", .*; a text stands in single quotes: 'tea'$/], // prettier-ignore
    ['SELECT item FROM shop WHERE item = \u2019tea\u2019', '', 400, /column 36, .*; \u2019 is a curly quote/], // prettier-ignore
    ["SELECT 'tea FROM shop", '', 400, /; single quoted string is not closed$/],
    ['SELECT 1 /* tea', '', 400, /; multiline comment is not closed$/],
    ['SELECT item FROM web-1', '', 400, /; a name with "-" stands in backquotes: `web-…`$/],
    ['SELECT item FROM shop WHERE price = ?', '', 400, /; a value from outside is written \{name:Type\}/], // prettier-ignore
    ['SELECT item FROM shop WHERE price = $1', '', 400, /; a value from outside is written/],
    ['-- nothing', '', 400, /^the statement is empty; send one SELECT$/],
    [';', '', 400, /^the statement is empty; send one SELECT$/],
    ['SELECT 1 SETTINGS join_use_null = 1', '', 403, /did you mean "join_use_nulls"/],
    [
      `SELECT 1${' UNION ALL SELECT 1'.repeat(500)}`,
      '',
      400,
      /at most 500 SELECTs, and this one has 501/,
    ],
  ])('answers %s %s with %s', async (statement, query, status, message) => {
    const answer = await sql(statement, {}, query);
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
      status,
      expect.stringMatching(message),
    ]);
  });

  it('names each query, and tells in a trailer what it took', async () => {
    const plain = await sql(MAIN);
    expect(plain.headers['x-query-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(plain.trailers).toEqual({});
    const { trailers, bytes } = await sql('SELECT number FROM numbers(500000)', { te: 'trailers' });
    const statistics = JSON.parse(trailers['x-query-statistics'] ?? '') as Record<string, number>;
    expect(statistics).toEqual({
      elapsed_ms: expect.any(Number) as number,
      rows_read: 500_000,
      bytes_read: 4_000_000,
      result_bytes: bytes.length,
    });
  });

  it('explains the organization’s own queries, and shows no database', async () => {
    for (const kind of [
      '',
      'PLAN indexes = 1',
      'AST',
      'SYNTAX',
      'QUERY TREE',
      'PIPELINE',
      'ESTIMATE',
    ]) {
      const { status, bytes } = await sql(`EXPLAIN ${kind} SELECT item FROM shop WHERE price > 3`);
      expect([kind, status]).toEqual([kind, 200]);
      expect(bytes.toString()).not.toMatch(/\bo_[0-9a-f]{32}/);
    }
    expect((await sql('EXPLAIN SELECT 1', { accept: 'application/parquet' })).status).toBe(400);
  });

  /** CPU seconds that the server and the engine's process have had. */
  const cpuSeconds = (): number => {
    const pid = String(server.process.pid);
    return execFileSync('ps', ['-o', 'time=', '-p', pid, '--ppid', pid])
      .toString()
      .trim()
      .split('\n')
      .map((line) => {
        const [days = '0', clock = ''] = line
          .trim()
          .replace(/^(?!\d+-)/, '0-')
          .split('-');
        return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), Number(days) * 24);
      })
      .reduce((sum, each) => sum + each, 0);
  };
  interface Held {
    readonly answer: Promise<{ readonly status: number | undefined; readonly retry: unknown }>;
    hangUp(): void;
  }
  /** Sends a statement, and can hang up. */
  const hold = (statement: string): Held => {
    const sent = request(new URL('/api/default/sql', server.url), {
      method: 'POST',
      auth: `${ROOT.email}:${ROOT.password}`,
    });
    sent.on('error', () => undefined).end(statement);
    const answer = new Promise<Awaited<Held['answer']>>((resolve) =>
      sent.once('response', ({ statusCode: status, headers }) =>
        resolve({ status, retry: headers['retry-after'] }),
      ),
    );
    return { answer, hangUp: () => sent.destroy() };
  };
  const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    const start = Date.now();
    while (!(await condition())) {
      if (Date.now() - start > 20_000) throw new Error('did not happen within 20 s');
      await delay(50);
    }
  };

  it.each([ENDLESS, ENDLESS_SCALAR])(
    'stops working when the client of %s leaves',
    async (statement) => {
      const before = cpuSeconds();
      const { hangUp } = hold(statement);
      await until(() => cpuSeconds() - before >= 2);
      // Others are served meanwhile.
      expect((await sql(MAIN)).status).toBe(200);
      hangUp();
      // The engine is at rest when it uses no processor time for two seconds of the clock.
      let last = cpuSeconds();
      let quietSince = Date.now();
      await until(() => {
        const now = cpuSeconds();
        if (now > last) quietSince = Date.now();
        last = now;
        return Date.now() - quietSince > 2000;
      });
    },
  );

  it('stays up when clients leave in the middle, whenever that is', async () => {
    const long = 'SELECT number, randomPrintableASCII(100) FROM numbers(5000000)';
    for (let round = 0; round < 15; round += 1) await server.client.leaveAfterFirstBytes(long);
    expect((await sql(MAIN)).json()).toEqual(ROWS);
    expect(server.process.exitCode).toBeNull();
  });

  it('turns away what is too much for one organization at once', async () => {
    const tooMany = 4;
    const refused: unknown[] = [];
    const held = Array.from({ length: RUNNING + WAITING + tooMany }, () => hold(ENDLESS));
    for (const { answer } of held) void answer.then((each) => refused.push(each));
    await until(() => refused.length === tooMany);
    expect(refused).toEqual(Array(tooMany).fill({ status: 429, retry: '1' }));
    for (const { hangUp } of held) hangUp();
    expect((await sql(MAIN)).status).toBe(200);
  });
});
