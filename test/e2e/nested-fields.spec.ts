import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeParquet } from '../server/make-parquet.js';
import { startEdge, type Edge } from '../server/start-edge.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const RECORDS = [
  { id: 1, k: { c: 'a', n: 1, m: 1, f: 1, l: [1, 2], o: { p: true }, s: 1, big: 1 } },
  { id: 2, k: { c: 'b', n: 2, m: 'x', f: 1.5, l: [2.5], o: { p: false }, s: { t: 1 }, w: [] } },
  { id: 3, k: { c: 'a', n: 3, m: 1.5, f: 2, big: 2 ** 53 + 2, _timestamp: 7, null: 'nil' } },
  { id: 4, k: { c: null, m: [1, 'y'], l: [] } },
];
const OTHERS = [
  { c: 'a', k: { c: 'a', label: 'first' } },
  { c: 'b', k: { c: 'b', label: 'second' } },
];

/** Statements, each with its rows. */
const STATEMENTS: readonly (readonly [sql: string, rows: readonly object[]])[] = [
  ['SELECT k.n FROM t ORDER BY id', [1, 2, 3, null].map((n) => ({ 'k.n': n }))],
  ['SELECT k.n + 1 AS m FROM t WHERE k.n > 1 ORDER BY k.n DESC', [{ m: 4 }, { m: 3 }]],
  [
    'SELECT k.c, count(*) AS q, sum(k.n) AS n FROM t GROUP BY k.c ORDER BY k.c',
    [
      { 'k.c': 'a', q: 2, n: 4 },
      { 'k.c': 'b', q: 1, n: 2 },
      { 'k.c': null, q: 1, n: null },
    ],
  ],
  ["SELECT id FROM t WHERE k.c IN ('a', 'z') ORDER BY id", [{ id: 1 }, { id: 3 }]],
  ['SELECT id FROM t WHERE k.o.p ORDER BY id', [{ id: 1 }]],
  ['SELECT k.m FROM t ORDER BY id', ['1', 'x', '1.5', '[1,"y"]'].map((m) => ({ 'k.m': m }))],
  ['SELECT k.f FROM t ORDER BY id', [1, 1.5, 2, null].map((f) => ({ 'k.f': f }))],
  ['SELECT k.l FROM t ORDER BY id', [[1, 2], [2.5], [], []].map((l) => ({ 'k.l': l }))],
  ['SELECT k.l[1] AS x FROM t WHERE id = 1', [{ x: 1 }]],
  ['SELECT k.s, k.s.t FROM t WHERE id < 3 ORDER BY id', [{ 'k.s': 1, 'k.s.t': null }, { 'k.s': null, 'k.s.t': 1 }]], // prettier-ignore
  ['SELECT k.big FROM t WHERE k.big > 1', [{ 'k.big': 2 ** 53 + 2 }]],
  ['SELECT k._timestamp FROM t WHERE id = 3', [{ 'k._timestamp': 7 }]],
  ['SELECT k.`null` FROM t WHERE id = 3', [{ 'k.null': 'nil' }]],
  ["SELECT k['c'] AS c, k['o']['p'] AS p FROM t WHERE id = 1", [{ c: 'a', p: true }]],
  ["SELECT id FROM t WHERE k['none'] IS NOT NULL", []],
  ['SELECT count(k.n) AS q FROM t', [{ q: 3 }]],
  ['SELECT count(DISTINCT k.c) AS q, avg(k.f) AS f FROM t', [{ q: 2, f: 1.5 }]],
  ['SELECT x.k.n, x.k.c FROM t AS x WHERE x.k.n = 1', [{ 'k.n': 1, 'k.c': 'a' }]],
  ['SELECT t.k.n FROM t WHERE t.k.n = 1', [{ 'k.n': 1 }]],
  [
    'SELECT t.id, u.k.label FROM t JOIN u ON t.k.c = u.k.c ORDER BY t.id',
    [
      { id: 1, 'k.label': 'first' },
      { id: 2, 'k.label': 'second' },
      { id: 3, 'k.label': 'first' },
    ],
  ],
  [
    'SELECT id, row_number() OVER (PARTITION BY k.c ORDER BY k.n DESC) AS r FROM t WHERE k.c IS NOT NULL ORDER BY id',
    [
      { id: 1, r: 2 },
      { id: 2, r: 1 },
      { id: 3, r: 1 },
    ],
  ],
  ['SELECT sum(k.n) AS n FROM (SELECT * FROM t)', [{ n: 6 }]],
  ['SELECT k.n FROM (SELECT k.n FROM t) WHERE k.n = 2', [{ 'k.n': 2 }]],
  ['SELECT j.n FROM (SELECT k AS j FROM t) WHERE j.n = 2', [{ 'j.n': 2 }]],
  ['WITH w AS (SELECT id, k FROM t) SELECT max(k.n) AS n FROM w', [{ n: 3 }]],
  ['SELECT id FROM t WHERE k.n = (SELECT max(k.n) FROM t)', [{ id: 3 }]],
  ["SELECT id FROM t WHERE k.c IN (SELECT k.c FROM u WHERE k.label = 'second')", [{ id: 2 }]],
  ['SELECT DISTINCT k.c FROM t WHERE k.c IS NOT NULL ORDER BY 1', [{ 'k.c': 'a' }, { 'k.c': 'b' }]],
  ["SELECT CASE WHEN k.n > 1 THEN k.c ELSE 'no' END AS x FROM t WHERE id < 3 ORDER BY id", [{ x: 'no' }, { x: 'b' }]], // prettier-ignore
  ["SELECT k.c || '!' AS x FROM t WHERE id = 1", [{ x: 'a!' }]],
  ['SELECT CAST(k.n AS text) AS x FROM t WHERE id = 1', [{ x: '1' }]],
  ['SELECT k.n, id FROM t ORDER BY k.n DESC NULLS LAST LIMIT 1', [{ 'k.n': 3, id: 3 }]],
  ['SELECT k.c AS c, max(k.n) AS n FROM t GROUP BY c HAVING max(k.n) > 2', [{ c: 'a', n: 3 }]],
  ['SELECT k.m, count(*) AS q FROM t GROUP BY k.m ORDER BY k.m LIMIT 1', [{ 'k.m': '1', q: 1 }]],
  ["SELECT id FROM t WHERE k.m = 'x'", [{ id: 2 }]],
  ['SELECT * FROM t WHERE k.n = 1', [{ _timestamp: expect.any(String) as string, ...RECORDS[0] }]],
  ['SELECT k.n FROM t UNION ALL SELECT k.n FROM t WHERE false ORDER BY 1 LIMIT 1', [{ 'k.n': 1 }]],
];

/** Files answer these differently: their columns have kinds, and not every record has every key. */
const HOSTED_ONLY = /k\.(?:[mls]\b|big|_timestamp|`null`)|k\['none|toTypeName|\* FROM t WHERE/;

describe('fields within objects', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-nested-'));
  let server: BorrowedServer;
  let edge: Edge;
  const ask = async (sql: string): Promise<unknown> => {
    const { status, bytes } = await server.client.call('sql', { body: sql });
    return status === 200 ? JSON.parse(bytes.toString()) : [status, bytes.toString()];
  };
  beforeAll(async () => {
    const plain = RECORDS.map(({ id, k: { c, n, f, o } }) => ({ id, k: { c, n, f, o } }));
    const tables = Object.entries({ t: plain, u: OTHERS }).flatMap(([name, records]) => {
      const file = join(directory, `${name}.ndjson`);
      writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      return ['--table', `${name}=${file}`];
    });
    [server, edge] = await Promise.all([borrowServer(), startEdge(tables)]);
    for (const record of RECORDS) await server.client.upload('t', [record]);
    await server.client.upload('u', OTHERS);
  });
  afterAll(async () => {
    await Promise.all([server.giveBack(), edge.stop()]);
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(STATEMENTS)('answers %s', async (sql, rows) => {
    expect(await ask(sql)).toEqual(rows);
  });

  it.each(STATEMENTS.filter(([sql]) => !HOSTED_ONLY.test(sql)))(
    'answers %s on the edge',
    async (sql, rows) => {
      const { status, text } = await edge.sql(sql);
      expect(status === 200 ? JSON.parse(text) : text).toEqual(rows);
    },
  );

  it.each([
    [
      'columns=id,k.n&filter[k.n]gt=1&sort=-k.n',
      [
        { id: 3, 'k.n': 3 },
        { id: 2, 'k.n': 2 },
      ],
    ],
    ['columns=id&filter[k.o.p]=true', [{ id: 1 }]],
  ])('reads tables by %s on the edge', async (query, rows) => {
    const answer = await fetch(`${edge.url}/api/tables/t?${query}`);
    expect(await answer.json()).toEqual(rows);
  });

  it('answers GraphQL on the edge', async () => {
    const query = '{ t_aggregate(filter: {k_n: {gt: 1}}, sort: [{field: "k_c"}]) { group_by { k_c } count } }'; // prettier-ignore
    const body = JSON.stringify({ query });
    const answer = await fetch(`${edge.url}/api/graphql`, { method: 'POST', body, headers: JSON_BODY }); // prettier-ignore
    expect(await answer.json()).toEqual({
      data: {
        t_aggregate: [
          { group_by: { k_c: 'a' }, count: 1 },
          { group_by: { k_c: 'b' }, count: 1 },
        ],
      },
    });
  });

  const get = async (path: string, body?: object): Promise<unknown> => {
    const { status, bytes } = await server.client.call(path, {
      ...(body && { method: 'POST', body: JSON.stringify(body), headers: JSON_BODY }),
    });
    return status === 200 ? JSON.parse(bytes.toString()) : [status, bytes.toString()];
  };

  it.each([
    [
      'columns=id,k.n&filter[k.n]gt=1&sort=-k.n',
      [
        { id: 3, 'k.n': 3 },
        { id: 2, 'k.n': 2 },
      ],
    ],
    ["columns=id&filter[k.c]in='b','z'", [{ id: 2 }]],
    ['columns=id&filter[k.m]like=%25y%25', [{ id: 4 }]],
    ['columns=id&filter[k.n]isnull=true', [{ id: 4 }]],
  ])('reads tables by %s', async (query, rows) => {
    expect(await get(`tables/t?${query}`)).toEqual(rows);
  });

  it('tells a near name of a field within', async () => {
    expect(await get('tables/t?columns=k.big_')).toEqual([
      400,
      expect.stringContaining('did you mean \\"k.big\\"'),
    ]);
  });

  it('answers GraphQL', async () => {
    const query = `{
      t(filter: {k_n: {gt: 1}}, sort: [{field: "k_n", order: desc}]) { id k { c n o { p } } }
      t_aggregate(filter: {k_c: {isnull: false}}, sort: [{field: "k_c"}]) { group_by { k_c } count sum { k_n } max { k_f } }
    }`;
    expect(await get('graphql', { query })).toEqual({
      data: {
        t: [
          { id: 3, k: { c: 'a', n: 3, o: { p: null } } },
          { id: 2, k: { c: 'b', n: 2, o: { p: false } } },
        ],
        t_aggregate: [
          { group_by: { k_c: 'a' }, count: 2, sum: { k_n: 4 }, max: { k_f: 2 } },
          { group_by: { k_c: 'b' }, count: 1, sum: { k_n: 2 }, max: { k_f: 1.5 } },
        ],
      },
    });
  });

  it('is searched, aggregated, and listed by its values', async () => {
    const answer = await get('_search', {
      query: {
        sql: "SELECT id, k.n FROM t WHERE k.c = 'a' ORDER BY k.n",
      },
      aggs: { each: 'SELECT k.c, sum(k.n) AS n FROM query GROUP BY k.c ORDER BY k.c' },
    });
    expect(answer).toMatchObject({
      hits: [
        { id: 1, 'k.n': 1 },
        { id: 3, 'k.n': 3 },
      ],
      aggs: { each: [{ 'k.c': 'a', n: 4 }] },
    });
    const joined = await get('_search', {
      query: {
        sql: 'SELECT a.id, b.k.label FROM t AS a JOIN u AS b ON a.k.c = b.k.c WHERE a.k.n < 3 ORDER BY a.id',
      },
    });
    expect(joined).toMatchObject({
      hits: [
        { id: 1, 'k.label': 'first' },
        { id: 2, 'k.label': 'second' },
      ],
    });
    const values = await get('t/_values?fields=k.c'); // prettier-ignore
    expect(values).toMatchObject({
      hits: [{ field: 'k.c', values: [{ zo_sql_key: 'a' }, { zo_sql_key: 'b' }, {}] }],
    });
  });

  it('is in the schema, with its type', async () => {
    const schema = await get('schema/t');
    expect(JSON.stringify(schema)).toContain('"name":"n","data_type":"Int64"');
    const record = await get('streams/t/schema');
    expect(JSON.stringify(record)).toContain('{"name":"k.f","type":"Float64"}');
    expect(JSON.stringify(record)).toMatch(/\{"name":"k\.l","type":"List","element":"\w+"\}/);
  });

  it('is indexed', async () => {
    const keys = { full_text_search_keys: ['k.c', 'k.m'], partition_keys: ['k.n', 'k.f'] };
    expect(await get('t/settings', keys)).toMatchObject({ code: 200 });
    const found = await get('_search', {
      query: {
        sql: "SELECT id FROM t WHERE match_all('Y') OR match_all('b') ORDER BY id",
      },
    });
    expect(found).toMatchObject({ hits: [{ id: 2 }, { id: 4 }] });
    // A new kind of value changes what is indexed.
    await server.client.upload('t', [{ id: 5, k: { n: 'five' } }, { id: 6 }, { id: 7, k: {} }]);
    expect(await ask("SELECT id FROM t WHERE k.n IN ('five', '1') ORDER BY id")).toEqual([
      { id: 1 },
      { id: 5 },
    ]);
    // The engine has no filter for this field, and such a setting once put the whole stream aside.
    await server.client.upload('wide', [{ k: { n: 1 } }]);
    expect(await get('wide/settings', { partition_keys: ['k.n'] })).toMatchObject({
      code: 200,
    });
    await server.client.upload('wide', '{"k":{"n":18446744073709551615}}');
    expect(await ask('SELECT count() AS c FROM wide WHERE k.n > 1')).toEqual([{ c: 1 }]);
    expect(await get('t/settings', { partition_keys: ['k.l'] })).toEqual([
      400,
      expect.stringContaining('k.l'),
    ]);
  });

  it('is no element of a list that is called as its column is', async () => {
    await server.client.upload('shadow', [{ k: { n: 1 }, items: [{ n: 'x' }, { n: 'y' }] }]);
    expect(await ask('SELECT arrayMap(k -> k.n::String, items) AS all FROM shadow')).toEqual([
      { all: ['x', 'y'] },
    ]);
    expect(
      await ask('SELECT e.n::String AS n FROM shadow ARRAY JOIN items AS e ORDER BY n'),
    ).toEqual([{ n: 'x' }, { n: 'y' }]);
  });

  it('has no more types than a stream may list, and all values', async () => {
    const many = (from: number): object =>
      Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`p${from + n}`, n]));
    await server.client.upload('many', [{ k: many(0) }, { k: many(2500) }]);
    await server.client.upload('many', [{ k: { p3: 'x', q: 1, p4999: 2 } }]);
    const [{ columns = 0 } = {}] = (await ask(
      "SELECT countIf(toTypeName(k.p1) = 'Nullable(Int64)') AS columns FROM many",
    )) as { columns?: number }[];
    expect(columns).toBe(3);
    expect(await ask("SELECT k.p3 FROM many WHERE k.p3 = 'x'")).toEqual([{ 'k.p3': 'x' }]);
    expect(await ask('SELECT k.p4999 FROM many WHERE isNotNull(k.p4999)')).toHaveLength(3); // prettier-ignore
    const record = JSON.stringify(await get('streams/many/schema'));
    expect(record.match(/"k\.[pq]\d*"/g)).toHaveLength(1000);
  });

  it('takes keys that no statement can name', async () => {
    const deep = Array.from({ length: 40 }).reduce((inner: unknown) => ({ d: inner }), 1);
    const odd = { 'a.b': 1, '': 2, '`': 3, '"': 4, 'ä ß': 5, "it's": 6, deep, 日本: 7 };
    await server.client.upload('odd', [{ k: odd }, { k: { 'a.b': 'x', a: { b: 9 } } }]);
    const rows = (await ask('SELECT k FROM odd')) as { k: object }[];
    expect(rows.map(({ k }) => k)).toContainEqual(odd);
    expect(await ask('SELECT k.`ä ß` + k.`日本` AS s FROM odd WHERE k.`ä ß` = 5')).toEqual([{ s: 12 }]); // prettier-ignore
    expect(
      await ask("SELECT k['a.b'] AS dotted, k.a.b FROM odd ORDER BY k.a.b NULLS FIRST"),
    ).toEqual([
      // prettier-ignore
      { dotted: 1, 'k.a.b': null },
      { dotted: 'x', 'k.a.b': 9 },
    ]);
  });

  it('forgets its types with the stream', async () => {
    await server.client.upload('again', [{ k: { v: 1 } }]);
    expect(await ask('SELECT sum(k.v) AS s FROM again')).toEqual([{ s: 1 }]);
    expect((await server.client.call('streams/again', { method: 'DELETE' })).status).toBe(200); // prettier-ignore
    await server.client.upload('again', [{ k: { v: 'text' } }]);
    expect(await ask('SELECT k.v FROM again')).toEqual([{ 'k.v': 'text' }]);
    await server.client.upload('again', [{ k: { v: 2 } }]);
    expect(await ask("SELECT k.v FROM again ORDER BY k.v")).toEqual([{ 'k.v': '2' }, { 'k.v': 'text' }]); // prettier-ignore
  });

  it('comes from CSV and Parquet, too', async () => {
    await server.client.upload('csv', [{ id: 1, k: { n: 1 } }]);
    await server.client.uploadTo('csv/_csv', 'id,k\n2,"{""n"":2.5,""c"":""x""}"\n');
    expect(await ask('SELECT k.n, k.c FROM csv ORDER BY id')).toEqual([
      { 'k.n': 1, 'k.c': null },
      { 'k.n': 2.5, 'k.c': 'x' },
    ]);
    const select =
      "SELECT number AS id, CAST((number, number / 2, toString(number), [number], (1.0,)), 'Tuple(i Nullable(Int32), f Nullable(Float64), s Nullable(String), l Array(Nullable(Int64)), t Tuple(nan Nullable(Float64)))') AS k FROM numbers(4)";
    await server.client.uploadTo('table/_parquet', makeParquet(select));
    expect(
      await ask(
        'SELECT k.i, k.f, k.s, k.l, k.t.nan, toTypeName(k.f) AS type FROM table WHERE k.f >= 1 ORDER BY k.f',
      ),
    ).toEqual(
      [2, 3].map((n) => ({
        'k.i': n,
        'k.f': n / 2,
        'k.s': String(n),
        'k.l': [n],
        'k.t.nan': 1,
        type: 'Nullable(Float64)',
      })),
    );
  });
});

const JSON_BODY = { 'Content-Type': 'application/json' };
