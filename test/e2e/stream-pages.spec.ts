import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

/** 28 March 2026 at 22:30 UTC, and every hour from then on: clocks in Berlin go forward at 1:00 UTC. */
const FIRST = Date.UTC(2026, 2, 28, 22, 30);
const HOUR = 3_600_000;

interface Values {
  readonly hits: readonly { readonly field: string; readonly values: readonly object[] }[];
}

describe('pages of a stream', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
    const rows = Array.from({ length: 6 }, (_, n) => ({
      _timestamp: FIRST + n * HOUR,
      status: n % 2 === 0 ? 200 : 500,
      path: `/${n % 3}`,
    }));
    for (const name of ['logs', 'schema', 'tables']) await server.client.upload(name, rows);
    await server.client.call('logs/settings', {
      body: JSON.stringify({ full_text_search_keys: ['path'] }),
    });
  });
  afterAll(() => server.giveBack());

  const values = (query: string, stream = 'logs') =>
    server.client.call(`${stream}/_values?fields=path&${query}`);

  it.each([
    ['', 6],
    ['status = 500', 3],
    ["status = 500 OR path = '/0'", 4],
    ["match_all('1')", 2],
    ["str_match(path, '2') -- a comment", 2],
  ])('count the values of rows where %j', async (filter, rows) => {
    const answer = await values(`filter=${encodeURIComponent(filter)}`);
    const [first] = answer.json<Values>().hits;
    const counts = first?.values.map((each) => (each as { zo_sql_num: number }).zo_sql_num) ?? [];
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(rows);
  });

  it('count values of the rows of a statement, those with a keyword, and without numbers', async () => {
    const sql = Buffer.from('select * from logs where status = 500').toString('base64');
    const told = async (query: string) => (await values(query)).json<Values>().hits[0]?.values;
    expect(await told(`sql=${encodeURIComponent(sql)}`)).toEqual(
      ['/0', '/1', '/2'].map((zo_sql_key) => ({ zo_sql_key, zo_sql_num: 1 })),
    );
    expect(await told('keyword=1')).toEqual([{ zo_sql_key: '/1', zo_sql_num: 2 }]);
    expect(await told("keyword=' OR 1 --")).toEqual([]);
    expect(await told('no_count=true&size=2')).toEqual([
      { zo_sql_key: '/0' },
      { zo_sql_key: '/1' },
    ]);
    expect((await values(`sql=${encodeURIComponent(sql)}&filter=status`)).status).toBe(400);
    expect((await values('sql=c2VsZWN0IDE%3D')).status).toBe(400);
  });

  it('refuse what they would pass over although it changes the answer', async () => {
    const around = `logs/_around?key=${FIRST * 1000}`;
    expect((await server.client.call(`${around}&sql=`)).status).toBe(200);
    expect((await server.client.call(`${around}&sql=c2Vs`)).status).toBe(400);
    const search = (query: object) =>
      server.client.call('_search', {
        body: JSON.stringify({ query: { sql: 'select * from logs', ...query } }),
      });
    expect((await search({ sort_by: null, query_fn: '' })).status).toBe(200);
    expect((await search({ sort_by: 'path ASC' })).bytes.toString()).toMatch(/ORDER BY/);
    expect((await search({ query_fn: '.a = 1' })).status).toBe(400);
  });

  it('keep to the time range, whatever the condition', async () => {
    const filter = encodeURIComponent('1) OR (1');
    const answer = await values(
      `filter=${filter}&start_time=${FIRST * 1000}&end_time=${FIRST * 1000 + 1}`,
    );
    expect(answer.json<Values>().hits[0]?.values).toEqual([{ zo_sql_key: '/0', zo_sql_num: 1 }]);
  });

  it.each([
    ['nope = 1', 20004, /nope/],
    ['status =', 20001, /./],
    ['file(path) = 1', 20005, /file/],
    ['1); DROP TABLE logs --', 20001, /./],
    ['path IN (SELECT name FROM system.tables)', 20001, /./],
  ])('refuse the condition %j', async (filter, code, message) => {
    const answer = await values(`filter=${encodeURIComponent(filter)}`);
    const told = answer.json<{ code: number; message: string }>();
    expect([answer.status, told.code, told.message]).toEqual([
      400,
      code,
      expect.stringMatching(message),
    ]);
  });

  it.each(['schema', 'tables'])('are there for a stream called %s', async (stream) => {
    const [first] = (await values('', stream)).json<Values>().hits;
    expect(first?.values).toHaveLength(3);
    const around = `${stream}/_around?key=${FIRST * 1000}`;
    expect((await server.client.call(around)).json<{ hits: unknown[] }>().hits).toHaveLength(1);
    // The stream's own routes work as before.
    expect((await server.client.call(`schema/${stream}`)).status).toBe(200);
    expect((await server.client.call(`tables/${stream}`)).json()).toHaveLength(6);
  });

  it('draw histograms by the clocks of a time zone', async () => {
    const histogram = async (call: string): Promise<unknown> => {
      const answer = await server.client.call('_search', {
        body: JSON.stringify({
          query: { sql: 'SELECT * FROM logs', size: 0 },
          aggs: { h: `SELECT ${call} AS k, count(*) AS n FROM query GROUP BY k ORDER BY k` },
        }),
      });
      return answer.json<{ aggs?: { h: unknown } }>().aggs?.h ?? answer.json();
    };
    expect(await histogram("histogram(_timestamp, '1 day', 'Europe/Berlin')")).toEqual([
      { k: '2026-03-28T00:00:00', n: 1 },
      { k: '2026-03-29T00:00:00', n: 5 },
    ]);
    expect(await histogram("histogram(_timestamp, '1 day')")).toEqual([
      { k: '2026-03-28T00:00:00', n: 2 },
      { k: '2026-03-29T00:00:00', n: 4 },
    ]);
    expect(await histogram("histogram(_timestamp, '1 hour', 'Europe/Berlin')")).toEqual(
      ['28T23', '29T00', '29T01', '29T03', '29T04', '29T05'].map((hour) => ({
        k: `2026-03-${hour}:00:00`,
        n: 1,
      })),
    );
    expect(await histogram("histogram(_timestamp, '1 hour', 'Mars/Crater')")).toMatchObject({
      code: 10001,
      message: expect.stringContaining('Mars/Crater') as string,
    });
  });
});
