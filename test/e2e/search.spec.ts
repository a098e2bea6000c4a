import fc from 'fast-check';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { rounds } from '../rounds.js';

interface Found {
  readonly took: number;
  readonly hits: readonly Record<string, unknown>[];
  readonly aggs?: Readonly<Record<string, readonly Record<string, unknown>[]>>;
  readonly total: number;
  readonly from: number;
  readonly size: number;
  /** Megabytes. */
  readonly scan_size: number;
}
interface Failed {
  readonly code: number;
  readonly message: string;
  readonly error_detail: string;
}

const ROWS = 1000;
/** A row a minute. */
const START = 1_700_000_000_000_000;
const at = (row: number): number => START + row * 60_000_000;

describe('search', () => {
  let server: BorrowedServer;

  const send = (body: unknown, path = '_search') =>
    server.client.call(path, { body: typeof body === 'string' ? body : JSON.stringify(body) });
  const search = async (sql: string, query: object = {}, aggs?: object): Promise<Found> => {
    const answer = await send({ query: { sql, ...query }, ...(aggs ? { aggs } : {}) });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes.toString()}`);
    return answer.json<Found>();
  };
  const numbers = ({ hits }: Found) => hits.map(({ n }) => n);

  beforeAll(async () => {
    server = await borrowServer();
    const rows = Array.from({ length: ROWS }, (_, n) => ({
      _timestamp: at(n),
      n,
      status: n % 5 ? 200 : 500,
      level: n % 7 ? null : 'warn',
      message: n % 3 ? `GET /index for user${n}` : `Error: reading Größe of user${n}`,
      user: { name: `ann${n % 3}` },
    }));
    await server.client.upload('logs', rows);
    // All of one time: only their order of arrival tells pages apart.
    await server.client.upload(
      'same',
      Array.from({ length: 300 }, (_, n) => ({ _timestamp: START, n })),
    );
    await server.client.upload('query', [{ n: 1 }, { n: 2 }]);
  });
  afterAll(() => server.giveBack());

  it('answers times of aggregates and by other names in microseconds, too', async () => {
    const newest = 'select max(_timestamp), min(_timestamp) as first from logs';
    expect((await search(newest)).hits).toEqual([{ 'max(_timestamp)': at(999), first: at(0) }]);
    const span = 'select max(_timestamp) - min(_timestamp) as span from logs';
    expect((await search(span)).hits).toEqual([{ span: at(999) - at(0) }]);
    const isKnown = 'select max(_timestamp) is null as none from logs';
    expect((await search(isKnown)).hits).toEqual([{ none: false }]);
    const named = await search('select _timestamp as ts, n from logs order by ts desc limit 1');
    expect(named.hits).toEqual([{ ts: at(999), n: 999 }]);
    const aggs = {
      times:
        'select max(_timestamp), min(_timestamp) as first, max(nothing) as none from (select *, null as nothing from query)',
      rows: 'select _timestamp, n from query order by n desc limit 1',
      counts: 'select _timestamp as ts, count(*) as c from query where n < 1 group by _timestamp',
    };
    expect((await search('select * from logs', {}, aggs)).aggs).toEqual({
      times: [{ 'max(_timestamp)': at(999), first: at(0), none: null }],
      rows: [{ _timestamp: at(999), n: 999 }],
      counts: [{ ts: at(0), c: 1 }],
    });
  });

  it('finds rows, newest first, without nulls, times in microseconds', async () => {
    const found = await search('select * from "logs"', { size: 2 });
    expect(found).toEqual({
      took: expect.any(Number) as number,
      hits: [
        {
          _timestamp: at(999),
          n: 999,
          status: 200,
          message: 'Error: reading Größe of user999',
          user: { name: 'ann0' },
        },
        expect.objectContaining({ n: 998 }),
      ],
      total: ROWS,
      from: 0,
      size: 2,
      scan_size: expect.any(Number) as number,
    });
    expect(found.scan_size).toBeGreaterThan(0);
    expect(found.hits[0]).not.toHaveProperty('level');
    expect((await search('select * from logs')).hits).toHaveLength(10);
    expect(await search('select * from logs', { size: 0 })).toMatchObject({
      hits: [],
      total: ROWS,
    });
    expect(numbers(await search('select n from logs', { from: 998, size: 5 }))).toEqual([1, 0]);
  });

  it('answers all rows for a size of -1, and as dashboards ask for them', async () => {
    const full = { sql_mode: 'full', size: 0 };
    const counts = { all: 'select count() as n from query' };
    expect((await search('select n from logs', { size: -1 })).hits).toHaveLength(ROWS);
    expect((await search('select n from logs', full)).hits).toHaveLength(ROWS);
    expect(await search('select n from logs', full, counts)).toMatchObject({
      hits: [],
      total: ROWS,
      aggs: { all: [{ n: ROWS }] },
    });
  });

  it('pages through rows of one time without losing or doubling any', async () => {
    const seen: unknown[] = [];
    for (let from = 0; from < 300; from += 70)
      seen.push(...numbers(await search('select n from same', { from, size: 70 })));
    expect(seen).toEqual(Array.from({ length: 300 }, (_, n) => 299 - n));
  });

  it('lets no statement out of its time range', async () => {
    const [start, end] = [at(100), at(200)];
    const range = { start_time: start, end_time: end, size: 10_000 };
    for (const sql of [
      'select n from logs where n = 5 or 1 = 1',
      'select n from logs l where n = 5 or true',
      "select n, now() as _timestamp from logs where 1=1 or 'a'='b'",
      'select n from (select * from logs where 1 or 1)',
      'with x as (select n from logs) select n from x',
      'select n from logs where n in (select n from logs) or 1',
      'select a.n as n from logs a join logs b on a.n = b.n',
      'select n from logs where n < 150 union all select n from logs where n >= 150',
      'with logs as (select * from logs) select n from logs',
      'select n from logs where 1 /* or */ or (2) -- )',
    ]) {
      const found = numbers(await search(sql, range)).map(Number);
      expect([sql, found.toSorted((a, b) => a - b)]).toEqual([
        sql,
        Array.from({ length: 100 }, (_, n) => n + 100),
      ]);
    }
    expect((await search('select n from logs', { start_time: start, end_time: start })).total).toBe(
      0,
    );
  });

  it('aggregates over all that WHERE and time select, not over the page', async () => {
    const found = await search(
      'select n from logs where status = 500 or n < 3',
      { start_time: at(0), end_time: at(120), size: 1 },
      {
        hours:
          "select histogram(_timestamp, '1 hour') as zo_sql_key, count(*) as zo_sql_num from query group by zo_sql_key order by zo_sql_key",
        most: 'select max(n) as most, count(distinct status) as statuses from query where n < 50',
        auto: 'select histogram(_timestamp) as k, count() as c from query group by k order by k limit 1',
      },
    );
    expect(numbers(found)).toEqual([115]);
    expect(found.total).toBe(26);
    expect(found.aggs).toEqual({
      hours: [
        { zo_sql_key: '2023-11-14T22:00:00', zo_sql_num: 12 },
        { zo_sql_key: '2023-11-14T23:00:00', zo_sql_num: 12 },
        { zo_sql_key: '2023-11-15T00:00:00', zo_sql_num: 2 },
      ],
      most: [{ most: 45, statuses: 2 }],
      auto: [{ k: '2023-11-14T22:13:00', c: 1 }],
    });
    const own = await search('select n from query', {}, { c: 'select count(*) as c from query' });
    expect([own.total, own.aggs]).toEqual([2, { c: [{ c: 2 }] }]);
    const named = await search(
      "select lower(message) as m from logs where m like 'error%'",
      {},
      { c: 'select count(*) as c from query' },
    );
    expect([named.total, named.aggs]).toEqual([334, { c: [{ c: 334 }] }]);
  });

  it('counts in a histogram exactly what it found, whatever the bucket', async () => {
    const bucket = fc.constantFrom('7 second', '5 minute', '1 hour', '3 hours', '1 day', '1 week');
    await fc.assert(
      fc.asyncProperty(bucket, fc.nat(ROWS), fc.nat(ROWS), async (interval, a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const found = await search(
          'select n from logs',
          { size: 0, start_time: at(from), end_time: at(to) },
          {
            h: `select histogram(_timestamp, '${interval}') as k, count(*) as c from query group by k order by k`,
          },
        );
        const rows = found.aggs?.h ?? [];
        expect(rows.reduce((sum, { c }) => sum + Number(c), 0)).toBe(to - from);
        expect(found.total).toBe(to - from);
        const keys = rows.map(({ k }) => Date.parse(`${String(k)}Z`) * 1000);
        expect(keys.every((key) => key <= at(to))).toBe(true);
      }),
      { numRuns: rounds(15, 30) },
    );
  }, 120_000);

  it('puts the last second before 1970 where it is', async () => {
    await server.client.upload('old', [{ _timestamp: '1969-12-31T23:59:59.999999Z', n: 1 }]);
    const found = await search(
      'select n from old',
      { size: 0 },
      { h: "select histogram(_timestamp, '1 day') as k, count(*) as c from query group by k" },
    );
    expect(found.aggs?.h).toEqual([{ k: '1969-12-31T00:00:00', c: 1 }]);
  });

  it('finds words, in any case and order, and parts of text', async () => {
    const total = async (where: string) =>
      (await search(`select n from logs where ${where}`)).total;
    expect(await total("match_all('error')")).toBe(334);
    expect(await total("match_all('GRÖSSE')")).toBe(0);
    expect(await total("match_all('GRÖßE error')")).toBe(334);
    expect(await total("match_all('user9')")).toBe(1);
    expect(await total("match_all('user99*')")).toBe(11);
    expect(await total("match_all('err')")).toBe(0);
    expect(await total("match_all('error') and status = 500 or match_all('user1')")).toBe(68);
    expect(await total("match_all('/')")).toBe(666);
    expect(await total("str_match(message, 'rror')")).toBe(334);
    expect(await total("str_match(message, 'RROR')")).toBe(0);
    expect(await total("str_match_ignore_case(message, 'RROR')")).toBe(334);
    expect(await total("re_match(message, 'user[0-9]$')")).toBe(10);
    expect(await total("re_not_match(message, 'user[0-9]$')")).toBe(990);
    expect(await total(`_timestamp >= ${at(10)} and _timestamp < ${at(12)}`)).toBe(2);
    expect(await total(`time_range(_timestamp, ${at(10)}, ${at(12)})`)).toBe(2);
  });

  it('finds words by the index of the columns that the settings name, in rows of before and after', async () => {
    const rows = (word: string) => [
      { title: `A ${word} morning`, body: `no ${word}` },
      { title: 'else', body: `Only here: ${word}` },
    ];
    const total = async (what: string) =>
      (await search(`select * from articles where match_all('${what}')`)).total;
    await server.client.upload('articles', rows('GRAY'));
    const set = async (keys: string[]) => {
      const answer = await server.client.call('articles/settings', {
        body: JSON.stringify({ full_text_search_keys: keys }),
      });
      expect([answer.status, answer.bytes.toString()]).toEqual([200, expect.anything()]);
    };
    await set(['title']);
    expect(await total('gray')).toBe(1);
    await server.client.upload('articles', rows('gray'));
    expect(await total('Gray')).toBe(2);
    const plan = await server.client.sql<{ explain: string }>(
      "EXPLAIN indexes = 1 SELECT count() FROM articles WHERE hasAllTokens(lowerUTF8(ifNull(title, '')), lowerUTF8('gray'))",
    );
    expect(plan.map(({ explain }) => explain).join('\n')).toMatch(/text GRANULARITY/);
    await set(['title', 'body']);
    expect(await total('gray')).toBe(4);
    expect(await total('only gray')).toBe(2);
    await set(['body']);
    expect(await total('morning')).toBe(0);
  });

  it('takes any SELECT', async () => {
    expect(
      (await search('select status, count(*) as c from logs group by status order by c')).hits,
    ).toEqual([
      { status: 500, c: 200 },
      { status: 200, c: 800 },
    ]);
    expect(await search('select count(*) as c from logs')).toMatchObject({
      hits: [{ c: ROWS }],
      total: 1,
    });
    expect(
      numbers(await search('select n from logs order by n limit 10', { from: 8, size: 5 })),
    ).toEqual([8, 9]);
    expect(
      (await search('select distinct user.name.:String as u from logs order by u')).hits,
    ).toEqual([{ u: 'ann0' }, { u: 'ann1' }, { u: 'ann2' }]);
    const coded = await send({
      encoding: 'base64',
      query: {
        sql: Buffer.from('select n from logs').toString('base64'),
        size: 1,
        sql_mode: 'context',
        track_total_hits: true,
      },
    });
    expect(coded.json<Found>().total).toBe(ROWS);
  });

  it.each<[string, object, number]>([
    ['select n from', {}, 20001],
    ['drop table logs', {}, 20001],
    ['select n from logs settings max_threads = 1', {}, 20001],
    ['explain select n from logs', {}, 20001],
    ["select * from file('/etc/passwd')", {}, 20001],
    ['select n from logs; select 1', {}, 20001],
    ['select n from lgos', {}, 20002],
    ["select n from same where match_all('x')", {}, 20003],
    ['select nn from logs', {}, 20004],
    ['select nope(n) from logs', {}, 20005],
    ['select n + message from logs', {}, 20007],
    ['select throwIf(n = 5) from logs order by n', {}, 20008],
    ['select message::Int64 from logs order by n', {}, 20007],
    ['select n from logs', { start_time: 1_700_000_000 }, 20001],
    ['select n from logs', { start_time: at(2), end_time: at(1) }, 20001],
    ['', {}, 20001],
    [`select ${'('.repeat(1200)}1${')'.repeat(1200)}`, {}, 20008],
  ])('answers %s with %j and its code', async (sql, query, code) => {
    const answer = await send({ query: { sql, ...query } });
    const { message, ...failed } = answer.json<Failed>();
    expect([answer.status, failed.code, message]).toEqual([
      400,
      code,
      expect.stringMatching(/\S{2}/),
    ]);
    expect(failed.error_detail).toEqual(expect.any(String));
  });

  it.each([
    ['select count(*) as c from logs'],
    ['select * from query'],
    ['select nope(n) from query'],
    ['select nn from query'],
    ['select'],
  ])('names the aggregation that is wrong: %s', async (sql) => {
    const answer = await send({ query: { sql: 'select n from logs' }, aggs: { mine: sql } });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 10001,
      message: expect.stringContaining('"mine"') as string,
    });
  });

  it.each([
    ['{"query":{"sql":"select 1","size":-2}}'],
    ['{"query":{"sql":"select 1","size":10001}}'],
    ['{"query":{"sql":"select 1","from":"x"}}'],
    ['{"query":{"sql":5}}'],
    ['{"query":{}}'],
    ['{'],
    ['[]'],
    [''],
    ['\ufffd'],
  ])('refuses the body %s', async (body) => {
    expect((await send(body)).status).toBe(400);
  });

  it('counts values, and shows what was around', async () => {
    const values = await server.client.call(
      `logs/_values?fields=status,level&size=1&start_time=${at(0)}&end_time=${at(100)}`,
    );
    expect(values.json<Found>()).toMatchObject({
      hits: [
        { field: 'status', values: [{ zo_sql_key: 200, zo_sql_num: 80 }] },
        { field: 'level', values: [{ zo_sql_num: 85 }] },
      ],
      total: 2,
      size: 1,
    });
    const around = await server.client.call(`logs/_around?key=${at(50)}&size=4`);
    expect(numbers(around.json<Found>())).toEqual([51, 50, 49, 48]);
    const edge = await server.client.call(`logs/_around?key=${at(50)}&size=100`);
    expect(numbers(edge.json<Found>())).toEqual(Array.from({ length: 30 }, (_, n) => 64 - n));
  });

  it.each([
    ['logs/_values', 20001],
    ['logs/_values?fields=nope', 20004],
    ['logs/_values?fields=user', 20007],
    ['nope/_values?fields=a', 20002],
    ['logs/_values?fields=n&start_time=5', 20001],
    ['logs/_around', 20001],
    ['logs/_around?key=5', 20001],
    ['nope/_around?key=1700000000000000', 20002],
  ])('refuses %s with %i', async (path, code) => {
    const answer = await server.client.call(path);
    expect([answer.status, answer.json<Failed>().code]).toEqual([400, code]);
  });

  it('stops where the request says', async () => {
    const sql =
      'select count() as c from numbers(200000) as a cross join numbers(200000) as b where sqrt(a.number + b.number) > 5';
    const answer = await send({ query: { sql }, timeout: 1 });
    expect([answer.status, answer.json<Failed>().code]).toEqual([408, 20010]);
  });
});
