import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeCertificates } from '../server/certificates.js';
import { Client } from '../server/client.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const VIEWER = { email: 'vera@example.com', password: 'Secret-77' };
const OWN = { MILLRACE_CLICKHOUSE_ADDR: '127.0.0.1:0' };

/** It is printed after the server's own. */
async function addressOf(server: Server): Promise<string> {
  let address: string | undefined;
  await until(() => {
    address = /ClickHouse find it at (\S+)/.exec(server.output())?.[1];
    return Promise.resolve(address !== undefined);
  });
  return address ?? '';
}

describe('an address of its own for clients of ClickHouse', () => {
  let server: Server;
  let clickHouse: Client;

  beforeAll(async () => {
    server = await startServer({ variables: OWN });
    const headers = { 'content-type': 'application/json' };
    const json = (path: string, body: unknown) =>
      server.client.call(path, { body: JSON.stringify(body), headers });
    await json('/api/default/users', { email: 'founder@example.com', password: 'Secret-77', role: 'viewer' }); // prettier-ignore
    for (const org of ['acme', 'other'])
      await json(`/api/${org}/users/founder@example.com`, { role: 'admin' });
    await json('/api/acme/users', { ...VIEWER, role: 'viewer' });
    await json('/api/acme/logs/_json?wait=true', [{ a: 1 }]);
    await json('/api/other/whisper/_json?wait=true', [{ a: 2 }]);
    clickHouse = new Client(await addressOf(server), VIEWER);
  }, 120_000);
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  const told = async (path: string, call = {}): Promise<[number, string]> => {
    const { status, bytes } = await clickHouse.call(path, call);
    return [status, bytes.toString()];
  };

  it('finds the organization by the name of the database', async () => {
    expect(await told('/?database=acme', { body: 'SELECT a FROM logs' })).toEqual([200, '1\n']);
    const headers = { 'x-clickhouse-database': 'acme' };
    expect(await told('/', { body: 'SELECT a FROM acme.logs', headers })).toEqual([200, '1\n']);
    expect((await told('/ping', { credentials: 'none' }))[0]).toBe(200);
    expect(await told('/?database=acme')).toEqual([200, 'Ok.\n']);
  });

  it.each([
    ['/?database=other', 403, '497'],
    ['/?database=none', 403, '497'],
    ['/?database=..%2Fother', 400, '1001'],
    // An account of its own sees default, and of that what it has.
    ['/', 404, '60'],
  ])('opens no other to a viewer: %s', async (path, status, code) => {
    const answer = await clickHouse.call(path, { body: 'SELECT * FROM whisper' });
    const told = answer.headers['x-clickhouse-exception-code'];
    expect([answer.status, told]).toEqual([status, code]);
  });

  it('keeps two names apart', async () => {
    const headers = { 'x-clickhouse-database': 'other' };
    const [status] = await told('/?database=acme', { body: 'SELECT a FROM logs', headers });
    expect(status).toBe(404);
  });

  it.each(['/api/acme/sql?query=SELECT%201', '/metrics', '/openapi.json', '/api/acme/clickhouse'])(
    'has nothing else: %s',
    async (path) => {
      expect(await clickHouse.call(path, { credentials: ROOT })).toMatchObject({ status: 404 });
    },
  );

  it('is nowhere else', async () => {
    const { status } = await server.client.call('/?database=acme', { body: 'SELECT 1' });
    expect(status).not.toBe(200);
  });
});

describe('the same with TLS', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-ch-tls-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('has the certificate of the server', async () => {
    const made = makeCertificates(directory);
    const { certificate, key } = made.server;
    const variables = { ...OWN, MILLRACE_TLS_CERT: certificate, MILLRACE_TLS_KEY: key };
    const server = await startServer({ variables });
    const asked = request(`${await addressOf(server)}/?query=SELECT%20currentDatabase()`, {
      ca: readFileSync(made.ca),
      auth: `${ROOT.email}:${ROOT.password}`,
      agent: false,
    });
    const answered = new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      asked.on('response', resolve).on('error', reject);
    });
    asked.end();
    expect(await text(await answered)).toBe('default\n');
    expect(await server.stop()).toBe(0);
  });
});
