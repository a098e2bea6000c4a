import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

describe('an organization’s allowance', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_ORG_READ_ROWS: '1000' } });
  });
  afterAll(() => server.stop());

  it('of rows read is for a minute, and for one organization', async () => {
    const asRoot = (path: string, body: object) =>
      server.client.call(path, { body: JSON.stringify(body) });
    const founder = { email: 'f@example.com', password: 'Secret-77', role: 'viewer' };
    await asRoot('/api/default/users', { ...founder, first_name: 'F', last_name: 'F' });
    await asRoot('/api/other/users/f@example.com', { role: 'admin' });
    const ask = (org: string, statement: string) =>
      server.client.call(`/api/${org}/sql`, { body: statement });
    // Sends larger and larger queries until one is refused; a fast machine may need some more.
    const counted = async (rows: number): Promise<void> => {
      const statement = `SELECT max(cityHash64(number, number)) AS s FROM numbers(${rows})`;
      const { status } = await ask('default', statement);
      if (status === 200) await counted(rows * 4);
      else expect(status).toBe(429);
    };
    await counted(10_000_000);
    const refused = await ask('default', 'SELECT 1');
    expect(refused.status).toBe(429);
    expect(refused.json<{ message: string }>().message).toContain('1000 rows read a minute');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60);
    expect((await ask('other', 'SELECT 1')).status).toBe(200);
  });
});

describe('an organization’s turns', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({
      // A query that waits for a turn is refused after as long as a query may take.
      variables: { MILLRACE_ORG_QUERIES: '2', MILLRACE_QUERY_TIMEOUT_SECONDS: '3' },
    });
  });
  afterAll(() => server.stop());

  /** Asks for more than any buffer takes, so many times without waiting, and reads nothing. */
  const ask = (headers: string, times: number): Socket => {
    const statement = 'SELECT hex(sipHash128(number)) AS h FROM numbers(1000000)';
    const credentials = Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64');
    const head = `POST /api/default/sql HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${credentials}\r\n`;
    const request = `${head}${headers}Content-Length: ${statement.length}\r\n\r\n${statement}`;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
    socket.write(request.repeat(times));
    return socket;
  };
  const status = async (): Promise<number> =>
    (await server.client.call('/api/default/sql', { body: 'SELECT 1' })).status;

  it.each([
    ['as they are', ''],
    ['compressed', 'Accept-Encoding: gzip\r\n'],
    ['with trailers', 'TE: trailers\r\n'],
  ])(
    'come back from a client that leaves several answers unread, %s',
    async (_how, headers) => {
      // The requests of a connection are answered one at a time, so each takes one turn.
      const left = [ask(headers, 2), ask(headers, 2)];
      await until(async () => (await status()) === 429);
      for (const each of left) each.destroy();
      await until(async () => (await status()) === 200, 20_000);
      // One turn came back. This query takes it, and the next one asks for the other turn.
      const other = ask('', 1);
      await once(other, 'readable');
      expect(String(other.read(15))).toBe('HTTP/1.1 200 OK');
      expect(await status()).toBe(200);
      other.destroy();
    },
    120_000,
  );
});
