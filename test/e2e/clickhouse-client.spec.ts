import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

/** The official client comes from npm and was not written for us. */
describe('the official client of ClickHouse', () => {
  const admin = { username: 'ann@example.com', password: 'Secret-77' };
  let server: Server;
  let own = '';

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_CLICKHOUSE_ADDR: '127.0.0.1:0' } });
    const json = (path: string, body: object) =>
      server.client.call(path, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    const person = { email: admin.username, password: admin.password, role: 'viewer' };
    await json('/api/default/users', person);
    await json('/api/acme/users/ann@example.com', { role: 'admin' });
    await until(() => {
      own = /ClickHouse find it at (\S+)/.exec(server.output())?.[1] ?? '';
      return Promise.resolve(own !== '');
    });
  }, 120_000);
  afterAll(() => server.stop());

  const rowsOf = async (client: ClickHouseClient, query: string, query_params = {}) =>
    (await client.query({ query, query_params, format: 'JSONEachRow' })).json();

  it.each([
    ['by a path', 'by_path', () => ({ url: server.url, pathname: '/api/acme/clickhouse' })],
    ['at an address of its own', 'at_address', () => ({ url: own, database: 'acme' })],
  ])('reads and writes %s', async (_name, table, address) => {
    const client = createClient({
      ...address(),
      ...admin,
      compression: { response: true },
      log: { level: ClickHouseLogLevel.OFF },
    });
    expect(await client.ping({ select: true })).toEqual({ success: true });
    const values = [{ n: 1, t: 'one', list: [1, 2] }, { n: 2 }];
    const inserted = await client.insert({ table, values, format: 'JSONEachRow' });
    expect(inserted.summary).toMatchObject({ written_rows: '2' });
    expect(await rowsOf(client, `SELECT n, t FROM ${table} WHERE n < {most:Int64}`, { most: 2 })).toEqual([{ n: 1, t: 'one' }]); // prettier-ignore
    const answer = await client.query({ query: `SELECT number FROM numbers(100000)` });
    expect((await answer.json<{ number: number }>()).data).toHaveLength(100_000);
    expect(await rowsOf(client, `SELECT name FROM system.tables WHERE name = '${table}'`)).toEqual([
      { name: table },
    ]);
    // dbt-clickhouse asks for its relations so, by an alias in the condition.
    const relations =
      'SELECT t.name AS name, t.database AS schema, d.name AS db, count() AS n FROM system.tables AS t' +
      ` LEFT JOIN system.databases AS d ON t.database = d.name WHERE schema = 'acme' AND name = '${table}' GROUP BY name, schema, db`;
    expect(await rowsOf(client, relations)).toEqual([
      { name: table, schema: 'acme', db: 'acme', n: 1 },
    ]);
    expect(await rowsOf(client, relations.replace("'acme'", "'other'"))).toEqual([]);
    await expect(client.query({ query: 'SELECT * FROM nowhere' })).rejects.toMatchObject({
      code: '60',
      type: 'UNKNOWN_TABLE',
    });
    await expect(client.command({ query: `DROP TABLE ${table}` })).rejects.toMatchObject({
      code: '497',
    });
    const wrong = [{ n: 'three' }, { n: 4 }];
    await expect(
      client.insert({ table, values: wrong, format: 'JSONEachRow' }),
    ).rejects.toMatchObject({ code: '117' });
    expect(await rowsOf(client, `SELECT n FROM ${table} ORDER BY n`)).toEqual([1, 2, 4].map((n) => ({ n }))); // prettier-ignore
    await client.close();
  });
});
