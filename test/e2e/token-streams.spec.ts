import type { Answer, Call } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';

/** One stream exists and is hidden; the other does not exist. Their names are equally long. */
const HIDDEN = 'whisper_room';
const ABSENT = 'nowhere_room';
/** These are in names, rows, columns, keys, rejected records and settings of the hidden stream. */
const TRACES = [HIDDEN, 'shy_column', 'shy_key', '470001147', 'a whisper'];

interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
    >;
  };
}
type Asked = readonly [path: string, call: Call];

/** Each statement tries to reach a table that the token may not read, or to learn that it is there. */
const STATEMENTS: readonly string[] = [
  'SELECT * FROM N',
  'SELECT count() AS c FROM N',
  'SELECT * FROM seen, N',
  'SELECT * FROM seen JOIN N USING (n)',
  'SELECT * FROM seen AS N, N AS x',
  'SELECT * FROM seen AS N, N',
  'SELECT n IN N AS i FROM seen',
  'SELECT n IN (N) AS i FROM seen',
  'SELECT n NOT IN N AS i FROM seen',
  'SELECT nullIn(n, N) AS i FROM seen',
  'SELECT countIf(n IN N) AS i FROM seen',
  'SELECT n FROM seen LIMIT 1 BY n IN N',
  'WITH N AS x SELECT n IN x AS i FROM seen',
  'WITH N AS seen SELECT n IN seen AS i FROM seen',
  'SELECT n IN (N AS k) AS i FROM seen',
  'SELECT * REPLACE (n IN N AS n) FROM seen',
  'WITH N AS (SELECT * FROM N) SELECT * FROM N',
  'WITH N AS (SELECT * FROM m), m AS (SELECT * FROM N) SELECT * FROM N',
  'WITH m AS (SELECT * FROM N), N AS (SELECT * FROM m) SELECT * FROM N',
  'SELECT * FROM (WITH N AS (SELECT 1 AS n) SELECT * FROM N) AS k, N',
  'SELECT * FROM seen WHERE n = (WITH N AS (SELECT 1 AS n) SELECT n FROM N) OR exists(SELECT 1 FROM N)',
  'WITH a AS (WITH N AS (SELECT 1 AS n) SELECT * FROM N), N AS (SELECT * FROM a) SELECT * FROM N',
  'WITH N AS (SELECT 1 AS n) SELECT * FROM (WITH m AS (SELECT * FROM N), N AS (SELECT * FROM m) SELECT * FROM N)',
  'WITH N AS (SELECT 1 AS n) SELECT * FROM (WITH N AS (SELECT * FROM N) SELECT * FROM N)',
  'WITH RECURSIVE N AS (SELECT * FROM N) SELECT * FROM N',
  'WITH RECURSIVE N AS (SELECT * FROM N UNION ALL SELECT * FROM N) SELECT * FROM N',
  'WITH 1 AS N SELECT * FROM N',
  'WITH (SELECT 1) AS N SELECT * FROM N',
  'SELECT 1 AS n UNION ALL (WITH N AS (SELECT 2 AS n) SELECT n FROM N) UNION ALL SELECT n FROM N',
  'SELECT (SELECT count() FROM N) AS c',
  'SELECT N.shy_column FROM seen',
  'SELECT N.* FROM seen',
  'SELECT N FROM seen',
  'SELECT * FROM default.N',
  'SELECT * FROM default.N WHERE n IN default.N',
  'SELECT * FROM Nx',
  'SELECT * FROM whisper_rom',
  'SELECT shy_colum FROM seen',
  'SELECT n FROM seen WHERE shy_column = 1',
  'SELECT * FROM _rejected',
  'SELECT count() FROM _audit',
  'SELECT n IN _rejected FROM seen',
  'SELECT * FROM system.tables',
  "SELECT * FROM merge('.*')",
  "SELECT joinGet('N', 'n', 1)",
  "SELECT dictGet('N', 'n', 1)",
  "SELECT hasColumnInTable('default', 'N', 'n')",
  "SELECT * FROM system.tables WHERE name = 'N'",
  "SELECT * FROM system.columns WHERE table = 'N'",
  'EXISTS TABLE default.N',
  'DESCRIBE default.N',
  'SHOW TABLES',
  'SHOW COLUMNS FROM N',
  'DESCRIBE N',
  'DESCRIBE whisper_rom',
  'EXPLAIN SELECT * FROM N',
  'EXPLAIN ESTIMATE SELECT * FROM N',
  'EXPLAIN QUERY TREE WITH N AS (SELECT * FROM N) SELECT * FROM N',
];

const DOCUMENTS: readonly string[] = [
  '{ N { n } }',
  '{ N_aggregate { count } }',
  '{ Nx { n } }',
  '{ seen { shy_column } }',
  '{ seen(filter: {shy_column: {eq: 1}}) { n } }',
  '{ _rejected { record } }',
  '{ __type(name: "N") { name fields { name } } }',
  '{ __schema { types { name fields { name } inputFields { name } enumValues { name } } queryType { fields { name } } } }',
];

/** An answer may repeat the question. */
function sent([path, { body = '' }]: Asked, trace: string): boolean {
  const url = new URL(path, 'http://server');
  const encoded = Buffer.from(url.searchParams.get('sql') ?? '', 'base64').toString();
  const words = [decodeURIComponent(path), typeof body === 'string' ? body : '', encoded];
  return words.some((each) => each.includes(trace));
}

describe('a token for one stream', () => {
  let server: Server;
  let token: string;
  let operations: [string, string, Operation][];
  const root = (path: string, body?: unknown, method?: string): Promise<Answer> =>
    server.client.call(path, {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(method === undefined ? {} : { method }),
    });
  const ask = ([path, call]: Asked): Promise<Answer> =>
    server.client.call(path, {
      ...call,
      credentials: 'none',
      headers: { ...call.headers, authorization: `Bearer ${token}` },
    });
  /** Everything about both that may differ between two answers to the same is left out. */
  const told = ({ status, headers, bytes }: Answer, name: string): unknown => [
    status,
    headers['content-type'],
    headers.etag === undefined,
    bytes
      .toString()
      .replaceAll(name, 'NAME')
      .replace(/"took":\d+/g, '"took":0')
      .replace(/"scan_size":[\d.]+/g, '"scan_size":0'),
  ];

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_ORG_STREAMS: '50' } });
    await server.client.upload('seen', [{ n: 1, key: 'k', value: 'v', nested: { open: 1 } }]);
    await server.client.upload(HIDDEN, [
      {
        n: 470001147,
        key: 'shy_key',
        value: 'whisper',
        shy_column: 470001147,
        nested: { shy_key: ['whisper'] },
      },
    ]);
    // Each stream has a record that does not fit.
    await server.client.upload('seen', [{ n: 'open text' }]);
    await server.client.upload(HIDDEN, [{ n: 'a whisper' }]);
    await root(`/api/default/${HIDDEN}/settings`, { partition_keys: ['shy_column'] });
    const wanted = { name: 'narrow', role: 'editor', streams: ['seen', 'later'] };
    const made = await root('/api/default/tokens', wanted);
    token = made.json<{ data: { token: string } }>().data.token;
    const { paths } = (await server.client.call('/openapi.json', { credentials: 'none' })).json<{
      paths: Record<string, Record<string, Operation>>;
    }>();
    operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, each]): [string, string, Operation] => [
        method.toUpperCase(),
        path,
        each,
      ]),
    );
  });
  afterAll(() => server.stop());

  /** Compares the answer about the hidden stream with the one about a stream that is not there. */
  async function asOfNothing(asked: (name: string) => Asked): Promise<void> {
    const [hidden, absent] = [await ask(asked(HIDDEN)), await ask(asked(ABSENT))];
    const [, call] = asked(ABSENT);
    const of = `${call.method ?? ''} ${asked('N')[0]} ${typeof call.body === 'string' ? call.body : ''}`;
    expect([of, told(hidden, HIDDEN)]).toEqual([of, told(absent, ABSENT)]);
    expect([of, hidden.status < 500]).toEqual([of, true]);
    const answered = JSON.stringify(hidden.headers) + hidden.bytes.toString();
    const found = TRACES.filter((trace) => answered.includes(trace) && !sent(asked(HIDDEN), trace));
    expect([of, found]).toEqual([of, []]);
  }

  it('works with what it is for, also with what is not there yet', async () => {
    const rows = async (sql: string): Promise<unknown> => {
      const answer = await ask(['/api/default/sql', { body: sql }]);
      return answer.status === 200 ? answer.json() : answer.bytes.toString();
    };
    const later: Asked = ['/api/default/later/_json?wait=true', { body: '[{"n":2}]' }];
    expect((await ask(later)).status).toBe(200);
    expect(await rows('SELECT n FROM seen UNION ALL SELECT n FROM later ORDER BY n')).toEqual([
      { n: 1 },
      { n: 2 },
    ]);
    expect(
      await rows('WITH t AS (SELECT n FROM seen), u AS (SELECT n FROM t) SELECT n FROM u'),
    ).toEqual([{ n: 1 }]);
    expect(
      await rows(
        'WITH t AS (SELECT 1 AS n) SELECT n FROM t UNION ALL SELECT n + 1 FROM t ORDER BY n',
      ),
    ).toEqual([{ n: 1 }, { n: 2 }]);
    expect(
      await rows(
        'WITH t AS (SELECT n FROM seen) SELECT n FROM (SELECT n FROM t) WHERE n IN (SELECT n FROM t)',
      ),
    ).toEqual([{ n: 1 }]);
    expect(await rows('SELECT n FROM seen WHERE n IN (1, 2)')).toEqual([{ n: 1 }]);
    expect(await rows('SHOW TABLES')).toEqual([{ table_name: 'later' }, { table_name: 'seen' }]);
    const list = (await ask(['/api/default/streams', {}])).json<{
      list: { name: string }[];
      total: number;
    }>();
    expect([list.list.map(({ name }) => name), list.total]).toEqual([['later', 'seen'], 2]);
    expect(Object.keys((await ask(['/api/default/schema', {}])).json<object>()).sort()).toEqual([
      'later',
      'seen',
    ]);
    const rejected = await ask(['/api/default/seen/_rejected', {}]);
    expect(rejected.json()).toMatchObject([
      { record: expect.stringContaining('open text') as string },
    ]);
    const search = {
      query: { sql: 'SELECT * FROM seen', size: 10 },
      aggs: { c: 'SELECT count() AS c FROM query' },
    };
    expect(
      (await ask(['/api/default/_search', { body: JSON.stringify(search) }])).json(),
    ).toMatchObject({ total: 1, aggs: { c: [{ c: 1 }] } });
    expect((await ask(['/api/default/tables/seen?filter[n]in=1,2', {}])).status).toBe(200);
    expect((await ask(['/api/default/kv/seen/k', {}])).bytes.toString()).toBe('v');
    expect(
      (await ask(['/api/default/graphql', { body: '{ seen { n nested { open } } }' }])).json(),
    ).toEqual([{ n: 1, nested: { open: 1 } }]);
    expect((await ask(['/api/default/seen/_rejected/retry', { body: '' }])).status).toBe(200);
    expect(
      (await ask(['/api/default/seen/settings', { body: '{"columns":{"more":"Int64"}}' }])).status,
    ).toBe(200);
  });

  it.each(STATEMENTS)('finds nothing of another by %s', async (statement) => {
    const named = (name: string): string => statement.replace(/\bN(?=x?\b)/g, name);
    await asOfNothing((name) => ['/api/default/sql', { body: named(name) }]);
    await asOfNothing((name) => ['/api/default/clickhouse', { body: named(name) }]);
    await asOfNothing((name) => {
      const query = { sql: named(name), size: 10 };
      return ['/api/default/_search', { body: JSON.stringify({ query }) }];
    });
    await asOfNothing((name) => {
      const [query, aggs] = [{ sql: 'SELECT * FROM seen' }, { a: named(name) }];
      return ['/api/default/_search', { body: JSON.stringify({ query, aggs }) }];
    });
    await asOfNothing((name) => {
      const sql = encodeURIComponent(Buffer.from(named(name)).toString('base64'));
      return [`/api/default/seen/_values?fields=n&sql=${sql}`, {}];
    });
  });

  it.each([
    'SELECT * FROM {t:Identifier}',
    'SELECT n IN {t:Identifier} AS i FROM seen',
    'WITH {t:Identifier} AS x SELECT n IN x AS i FROM seen',
    'SELECT {t:Identifier} FROM seen',
  ])('finds nothing of another by a parameter, %s', async (statement) => {
    await asOfNothing((name) => [`/api/default/sql?param_t=${name}`, { body: statement }]);
    const query = encodeURIComponent(statement);
    await asOfNothing((name) => [`/api/default/sql?query=${query}&param_t=${name}`, {}]);
    await asOfNothing((name) => [`/api/default/clickhouse?query=${query}&param_t=${name}`, {}]);
  });

  it.each(DOCUMENTS)('finds nothing of another by GraphQL, %s', async (document) => {
    const named = (name: string): string => document.replace(/\bN(?=x?\b|_)/g, name);
    await asOfNothing((name) => ['/api/default/graphql', { body: named(name) }]);
    await asOfNothing((name) => {
      const headers = { 'content-type': 'application/json' };
      return ['/api/default/graphql', { body: JSON.stringify({ query: named(name) }), headers }];
    });
  });

  it('finds nothing of another at any route that there is', async () => {
    const parameters = [
      ['fields', 'n,shy_column'],
      ['key', '1000000000000000'],
      ['columns', 'shy_column'],
      ['filter[shy_column]eq', '470001147'],
      ['filter', 'shy_column=470001147'],
      ['keyword', 'whisper'],
      ['fetchSchema', 'true'],
    ];
    let asked = 0;
    for (const [method, path, { requestBody }] of operations) {
      if (!path.startsWith('/api/')) continue;
      const examples = Object.entries(requestBody?.content ?? {}).flatMap(
        ([type, { examples = {} }]) =>
          Object.values(examples).map(({ value }): [string, string] => [
            type,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
      );
      for (const [type, body] of examples.length > 0 ? examples : [['', ''] as const])
        for (const query of [
          '',
          ...parameters.map(([key = '', value = '']) => `?${key}=${value}`),
        ]) {
          if (query !== '' && method !== 'GET') continue;
          asked += 1;
          await asOfNothing((name) => {
            const filled = path
              .replace('{org}', 'default')
              .replace(/\{(?:stream|table)\}/, name)
              .replace('{key}', 'shy_key')
              .replace('{id}', 'one')
              .replace('{name}', 'narrow-not')
              .replace('{email}', 'nobody@example.com');
            const headers = type === '' ? {} : { 'content-type': type };
            const sent =
              method === 'GET' || method === 'HEAD' ? {} : { body: body.replaceAll('logs', name) };
            return [`${filled}${query}`, { method, headers, ...sent }];
          });
        }
    }
    expect(asked).toBeGreaterThan(60);
  });

  it('stores in a bulk request what is for its stream, and nothing else', async () => {
    const lines = (name: string): string =>
      `{"index":{"_index":"seen"}}\n{"n":5}\n{"index":{"_index":"${name}"}}\n{"n":6}\n`;
    for (const name of [HIDDEN, ABSENT])
      for (const large of [false, true]) {
        const more = large ? `{"index":{"_index":"seen"}}\n{"n":5}\n`.repeat(3000) : '';
        const body = lines(name) + more;
        const answer = await ask(['/api/default/_bulk?wait=true', { body }]);
        const { errors, items } = answer.json<{
          errors: boolean;
          items: { index: { status: number; error?: { type: string } } }[];
        }>();
        expect([answer.status, errors, items[0]?.index.status]).toEqual([200, true, 201]);
        expect(items[1]?.index).toMatchObject({
          status: 403,
          error: { type: 'security_exception' },
        });
      }
    expect(await server.client.sql('SELECT count() AS n FROM seen WHERE n = 5')).toEqual([
      { n: 6004 },
    ]);
  });

  it('has changed nothing of what is not its own', async () => {
    expect(await server.client.count(HIDDEN)).toBe(1);
    const { list } = (await root('/api/default/streams')).json<{
      list: { name: string; settings: object }[];
    }>();
    expect(list.map(({ name }) => name)).toEqual(['later', 'seen', HIDDEN]);
    expect(list[2]?.settings).toMatchObject({ partition_keys: ['shy_column'] });
    const tokens = (await root('/api/default/tokens')).json<{ data: { name: string }[] }>().data;
    expect(tokens.map(({ name }) => name)).toEqual(['narrow']);
  });
});
