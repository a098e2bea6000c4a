import { startServer, type Server } from '../server/start-server.js';

describe('limits of queries as low as they go', () => {
  let server: Server;
  beforeAll(async () => {
    const low = { MILLRACE_QUERY_RESULT_ROWS: '2', MILLRACE_QUERY_READ_ROWS: '100' };
    server = await startServer({ variables: low });
  });
  afterAll(() => server.stop());

  it('bound what clients ask for, and nothing that the server asks for itself', async () => {
    for (const values of [
      [3, 1, 2],
      ['x', 'y', 'z'],
    ])
      await server.client.call('/api/default/t/_json?wait=true', {
        body: JSON.stringify(values.map((n) => ({ n, o: { k: [{ n: 1 }] } }))),
      });
    expect(await server.client.sql('SELECT count() AS c FROM t')).toEqual([{ c: 3 }]);
    const many = await server.client.call('/api/default/sql', { body: 'SELECT n FROM t' });
    expect(many.status).toBe(413);
    const two = await server.client.call('/api/default/tables/t?columns=n&limit=2&sort=n');
    expect(two.json()).toEqual([{ n: 1 }, { n: 2 }]);
    const body = '{ t(limit: 1, sort: [{ field: "n" }]) { n } }';
    const graph = await server.client.call('/api/default/graphql', { body });
    expect(graph.json()).toEqual([{ n: 1 }]);
    const search = await server.client.call('/api/default/_search', {
      body: JSON.stringify({
        query: { sql: 'SELECT n FROM t', start_time: 0, end_time: 4e15, from: 0, size: 1 },
      }),
    });
    expect(search.status).toBe(200);
    const retry = await server.client.call('/api/default/t/_rejected/retry', { method: 'POST' });
    expect(retry.status).toBe(200);
  });
});
