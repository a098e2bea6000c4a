import { makeParquet } from '../server/make-parquet.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const OLD = '2020-01-01T00:00:00Z';
const REASON = 'older than the stream keeps its rows';

interface Counts {
  readonly successful: number;
  readonly failed: number;
  readonly error: string;
}

describe('records older than their stream keeps its rows', () => {
  let server: BorrowedServer;
  const post = (path: string, body: string | Buffer) => server.client.call(path, { body });
  const keep = (stream: string, days: number) =>
    server.client.call(`${stream}/settings`, {
      body: JSON.stringify({ data_retention: days, columns: { n: 'Int64' } }),
    });
  const counts = async (path: string, body: string | Buffer): Promise<Counts | undefined> =>
    (await post(path, body)).json<{ status?: Counts[] }>().status?.[0];

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it('a shorter retention needs an admin, since it deletes rows', async () => {
    const password = 'Secret-77';
    const set = async (role: string, days: number): Promise<[number, string]> => {
      const answer = await server.client.call('aging/settings', {
        body: JSON.stringify({ data_retention: days }),
        credentials: { email: `${role}@retention.example.com`, password },
      });
      return [answer.status, answer.json<{ message: string }>().message];
    };
    for (const role of ['viewer', 'member', 'editor', 'admin']) {
      const body = JSON.stringify({ email: `${role}@retention.example.com`, password, role });
      expect((await server.client.call('users', { body })).status).toBe(200);
    }
    expect((await keep('aging', 30)).status).toBe(200);
    expect((await post('aging/_json?wait=true', '{"n":1}')).status).toBe(200);
    for (const role of ['member', 'editor']) {
      expect(await set(role, 1)).toEqual([
        403,
        'data_retention: a shorter one deletes rows, which only an admin of the organization may; now it is 30 days',
      ]);
      expect((await set(role, 60))[0]).toBe(200);
      expect((await set('admin', 30))[0]).toBe(200);
    }
    expect((await set('editor', 0))[0]).toBe(200);
    expect((await set('editor', 36_500))[0]).toBe(403);
    expect((await set('viewer', 0))[0]).toBe(403);
    // one that is made by it has no rows
    const made = await server.client.call('fresh/settings', {
      body: JSON.stringify({ data_retention: 3, columns: { n: 'Int64' } }),
      credentials: { email: 'editor@retention.example.com', password },
    });
    expect(made.status).toBe(200);
  });

  it.each<[string, string, () => string | Buffer]>([
    ['records', '_json', () => `[{"n":1,"_timestamp":"${OLD}"},{"n":2}]`],
    ['microseconds', '_json', () => '[{"n":1,"_timestamp":1577836800000000},{"n":2}]'],
    ['shipped', '_multi', () => `{"n":1,"@timestamp":"${OLD}"}\n{"n":2}\n`],
    ['csv', '_csv', () => `n,_timestamp\n1,${OLD}\n2,\n`],
    [
      'parquet',
      '_parquet',
      () =>
        makeParquet(
          `SELECT toInt64(number + 1) AS n, if(number = 0, toDateTime64('2020-01-01', 6), now64(6)) AS _timestamp FROM numbers(2)`,
        ),
    ],
  ])('are rejected and explained: %s', async (stream, route, make) => {
    expect((await keep(stream, 1)).status).toBe(200);
    const answer = await counts(`${stream}/${route}?wait=true`, make());
    expect(answer).toMatchObject({ successful: 1, failed: 1 });
    expect(answer?.error).toContain(REASON);
    expect(await server.client.sql(`SELECT n FROM ${stream}`)).toEqual([{ n: 2 }]);
    const [rejected] = await server.client.sql(
      `SELECT reason FROM _rejected WHERE stream = '${stream}'`,
    );
    expect(rejected?.reason).toContain('raise its data_retention');
  });

  it('are rejected when all of them are, and from bulk requests', async () => {
    await keep('bulk', 1);
    const line = `{"create":{"_index":"bulk"}}\n{"n":1,"@timestamp":"${OLD}"}\n`;
    const answer = (await post('_bulk?wait=true', line + line)).json<{ errors: boolean }>();
    expect(answer.errors).toBe(true);
    expect(await server.client.count('_rejected')).toBeGreaterThan(1);
  });

  it('are let in by a retry once the stream keeps them', async () => {
    await keep('again', 1);
    const body = `{"n":1,"_timestamp":"${OLD}"}`;
    expect(await counts('again/_json?wait=true', body)).toMatchObject({ failed: 1 });
    await keep('again', 0);
    const retried = await server.client.call('again/_rejected/retry?wait=true', {
      method: 'POST',
    });
    expect(retried.status).toBe(200);
    expect(await server.client.sql('SELECT n FROM again')).toEqual([{ n: 1 }]);
  });

  it('are stored where rows are kept for ever', async () => {
    expect(await counts('ever/_json?wait=true', `{"_timestamp":"${OLD}"}`)).toMatchObject({
      successful: 1,
      failed: 0,
    });
  });
});
