import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ClickHouseListener } from './listener.js';

describe('an address of its own', () => {
  const listener = new ClickHouseListener();
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((asked, response) => response.end(listener.pathOf(asked)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = await listener.open(server, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    const closed = listener.close();
    server.close();
    server.closeAllConnections();
    await closed;
  });

  async function pathAt(to: string, path: string, headers = {}): Promise<string> {
    const [{ hostname, port }, agent] = [new URL(to), false] as const;
    const [answer] = (await once(request({ hostname, port, path, headers, agent }).end(), 'response')) as [IncomingMessage]; // prettier-ignore
    return text(answer);
  }

  it.each([
    ['/', {}, '/api/default/clickhouse?'],
    ['/?query=SELECT+1', {}, '/api/default/clickhouse?query=SELECT+1'],
    ['/?query=a?b&database=acme', {}, '/api/acme/clickhouse?query=a?b&database=acme'],
    ['/?database=', { 'x-clickhouse-database': 'acme' }, '/api/default/clickhouse?database='],
    ['/', { 'x-clickhouse-database': 'acme' }, '/api/acme/clickhouse?'],
    // A database's name stays a name, whatever characters it has.
    ['/?database=..%2Fother%3Fx', {}, '/api/..%2Fother%3Fx/clickhouse?database=..%2Fother%3Fx'],
    ['/ping', {}, '/healthz'],
    ['/play', {}, '/clickhouse'],
    ['/api/acme/sql?query=SELECT+1', {}, '/clickhouse'],
    ['//api/acme/sql', {}, '/clickhouse'],
    ['http://127.0.0.1/api/acme/sql', {}, '/clickhouse'],
  ])('%s %j', async (path, headers, expected) => {
    expect(await pathAt(url, path, headers)).toBe(expected);
  });

  it('leaves the paths of the other address as they are', async () => {
    const { port } = server.address() as { port: number };
    const [own, asked] = [`http://127.0.0.1:${port}`, '/api/acme/sql?query=SELECT+1'];
    expect(await pathAt(own, asked)).toBe(asked);
    expect(await pathAt(own, '/ping')).toBe('/ping');
  });

  it('says who else is there', async () => {
    const { port } = new URL(url);
    const other = new ClickHouseListener();
    await expect(other.open(server, { host: '127.0.0.1', port: Number(port) })).rejects.toThrow(
      'EADDRINUSE',
    );
  });
});
