import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { until } from '../server/until.js';

interface Found {
  readonly hits: readonly Record<string, unknown>[];
  readonly total: number;
  readonly from: number;
  readonly histogram_interval?: number;
}
interface Partition {
  readonly records: number;
  readonly histogram_interval: number;
  readonly is_histogram_eligible: boolean;
  readonly partitions: readonly (readonly [number, number])[];
}

const START = 1_700_000_000_000_000;
const MINUTE = 60_000_000;
const HOUR = { start_time: START, end_time: START + 60 * MINUTE };

/** The requests are those of OpenObserve's web page and of its Grafana plugin. */
describe('clients of OpenObserve', () => {
  let server: BorrowedServer;

  const send = (path: string, body: unknown) =>
    server.client.call(path, { body: JSON.stringify(body) });
  const search = async (query: object, parameters = ''): Promise<Found> => {
    const answer = await send(`_search${parameters}`, { query });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes.toString()}`);
    return answer.json<Found>();
  };

  beforeAll(async () => {
    server = await borrowServer();
    await server.client.upload(
      'logs',
      Array.from({ length: 90 }, (_, n) => ({ _timestamp: START + n * MINUTE, n, odd: n % 2 })),
    );
  });
  afterAll(() => server.giveBack());

  it('are told how to ask for a range, and draw its histogram by that', async () => {
    const query = { sql: 'SELECT * FROM "logs" WHERE odd = 1', ...HOUR };
    const asked = await send('_search_partition?type=logs&enable_align_histogram=true', query);
    const { partitions, ...told } = asked.json<Partition>();
    expect(partitions).toEqual([[HOUR.start_time, HOUR.end_time]]);
    expect(told).toMatchObject({
      records: 30,
      is_histogram_eligible: true,
      histogram_interval: 30,
    });

    const drawn = await search({ ...query, histogram_interval: 1800 }, '?is_ui_histogram=true');
    expect(drawn.histogram_interval).toBe(1800);
    // Buckets of half hours, of which the range has two halves and a whole.
    expect(drawn.hits.map(({ zo_sql_num: rows }) => rows)).toEqual([8, 15, 7]);
    expect(drawn.hits[0]).toEqual({ zo_sql_key: '2023-11-14T22:00:00', zo_sql_num: 8 });
    expect(drawn.total).toBe(3);
  });

  it('may send a statement in base64, an end that is now, and one that has its own histogram', async () => {
    const sql = 'SELECT histogram(_timestamp) AS k, count(*) AS n FROM logs GROUP BY k ORDER BY k';
    const encoded = { sql: Buffer.from(sql).toString('base64'), encoding: 'base64' };
    const asked = await send('_search_partition', { ...encoded, start_time: START, end_time: 0 });
    const told = asked.json<Partition>();
    expect(told).toMatchObject({ is_histogram_eligible: true, histogram_interval: 86_400 });
    expect(told.partitions[0]?.[1]).toBeGreaterThan(START + 100 * MINUTE);
    const found = await search({ sql, ...HOUR, histogram_interval: 3600 });
    expect(found.histogram_interval).toBe(3600);
    expect(found.hits.map(({ n }) => n)).toEqual([47, 13]);
    // An interval in the statement itself holds.
    const own = await search({
      sql: sql.replace('_timestamp', "_timestamp, '1 day'"),
      histogram_interval: 60,
    });
    expect([own.histogram_interval, own.hits.length]).toEqual([86_400, 1]);
    expect((await search({ sql: 'SELECT * FROM logs' })).histogram_interval).toBeUndefined();
  });

  it.each([
    ['SELECT odd, count(*) FROM logs GROUP BY odd'],
    ['SELECT DISTINCT odd FROM logs'],
    ['SELECT * FROM logs LIMIT 5'],
    ['SELECT * FROM (SELECT * FROM logs)'],
  ])('are told that there is no histogram of %s', async (sql) => {
    const asked = await send('_search_partition', { sql, ...HOUR });
    expect([asked.status, asked.json<Partition>().is_histogram_eligible]).toEqual([200, false]);
    const drawn = await send('_search?is_ui_histogram=true', { query: { sql, ...HOUR } });
    expect([drawn.status, drawn.json<{ code: number }>().code]).toEqual([400, 20013]);
  });

  it.each([
    [{ sql: 'SELECT * FROM missing', ...HOUR }, 20002],
    [{ sql: 'SELECT nope FROM logs', ...HOUR }, 20004],
    [{ sql: 'SELECT * FROM logs', start_time: 5, end_time: 0 }, 20001],
    [{ sql: 'SELECT * FROM logs', ...HOUR, query_fn: 'LjE=' }, 20001],
    [{ ...HOUR }, 20001],
  ])('are told what is wrong with a partition of %j', async (body, code) => {
    const answer = await send('_search_partition', body);
    expect([answer.status, answer.json<{ code: number }>().code]).toEqual([400, code]);
  });

  it('name the type of streams wherever they ask', async () => {
    const key = `key=${START}`;
    const routes: [string, string, object?][] = [
      ['GET', 'logs/_values?fields=odd'],
      ['GET', `logs/_around?${key}`],
      ['GET', 'logs/schema?a='],
      ['GET', 'streams/logs/schema?a='],
      ['POST', '_search?a=', { query: { sql: 'SELECT * FROM logs' } }],
      ['POST', '_search_partition?a=', { sql: 'SELECT * FROM logs', ...HOUR }],
      ['POST', 'logs/settings?a=', { full_text_search_keys: [] }],
      ['PUT', 'streams/logs/settings?a=', { full_text_search_keys: [] }],
    ];
    const status = async ([method, path, body]: [string, string, object?], type: string) => {
      const options = { method, ...(body && { body: JSON.stringify(body) }) };
      return (await server.client.call(`${path}&type=${type}`, options)).status;
    };
    for (const route of routes) {
      expect([route[1], await status(route, 'logs')]).toEqual([route[1], 200]);
      expect([route[1], await status(route, 'traces')]).toEqual([
        route[1],
        route[1].startsWith('_') || route[1].includes('/_') ? 400 : 404,
      ]);
    }
    const other = await send('_search?type=traces', { query: { sql: 'SELECT * FROM logs' } });
    expect(other.json()).toMatchObject({
      code: 20002,
      message: expect.stringMatching(/type logs only, not "traces"/) as string,
    });
    const { list } = (await server.client.call('streams?type=traces')).json<{
      list: unknown[];
    }>();
    expect(list).toEqual([]);
  });

  it('are refused what would change an answer and is not there', async () => {
    for (const path of [`logs/_around?key=${START}`, 'logs/_values?fields=odd'])
      for (const parameter of ['sort_by=n', 'query_fn=LjE='])
        expect((await server.client.call(`${path}&${parameter}`)).status).toBe(400);
  });

  it('get a total that fits the hits, whatever comes meanwhile', async () => {
    await server.client.upload('live', [{ n: -1 }]);
    let isUploading = true;
    const uploads = (async () => {
      for (let n = 0; n < 60; n += 1) {
        const answer = await send('live/_json', [{ n }]);
        if (answer.status !== 200) throw new Error(answer.bytes.toString());
      }
    })().finally(() => (isUploading = false));
    let looked = 0;
    while (isUploading || looked === 0) {
      looked += 1;
      const all = await search({ sql: 'SELECT * FROM live', size: 1000 });
      expect(all.total).toBe(all.hits.length);
      const page = await search({ sql: 'SELECT * FROM live', size: 1 });
      expect(page.total).toBeGreaterThanOrEqual(page.hits.length);
      const beyond = await search({ sql: 'SELECT * FROM live', from: all.total, size: 1000 });
      expect(beyond.total).toBe(all.total + beyond.hits.length);
    }
    await uploads;
    await until(async () => (await server.client.count('live')) === 61);
    expect((await search({ sql: 'SELECT * FROM live', size: 0 })).total).toBe(61);
    expect((await search({ sql: 'SELECT * FROM live', from: 100 })).total).toBe(61);
  });
});
