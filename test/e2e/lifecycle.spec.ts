import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../server/start-server.js';

describe('a server’s life', () => {
  let dataDirectory: string;
  beforeEach(() => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-life-'));
  });
  afterEach(() => rmSync(dataDirectory, { recursive: true, force: true }));

  it('is healthy, and ends with code 0 on SIGTERM', async () => {
    const server = await startServer({ dataDirectory });
    const answer = await server.client.call('/healthz', { credentials: 'none' });
    expect([answer.status, answer.json()]).toEqual([200, { status: 'ok' }]);
    expect((await server.client.call('/readyz', { credentials: 'none' })).status).toBe(200);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(await server.stop()).toBe(0);
  });

  it('stops while a query whose client has left still has work', async () => {
    const server = await startServer({ dataDirectory });
    const rows = Array.from({ length: 500 }, (_, n) => ({ n }));
    await server.client.upload('logs', rows);
    await server.client.leaveAfterFirstBytes('SELECT x.n FROM logs AS x, logs AS y, logs AS z');
    expect(await server.stop()).toBe(0);
  });

  it('makes a root password when none is given, keeps it for its owner only, and takes a new one later', async () => {
    const first = await startServer({
      dataDirectory,
      variables: { MILLRACE_ROOT_PASSWORD: undefined as never },
    });
    const file = join(dataDirectory, 'root-credentials');
    const password = /^password=(.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const login = { email: 'root@example.com', password };
    expect((await first.client.call('/api/organizations', { credentials: login })).status).toBe(
      200,
    );
    await first.stop();
    const second = await startServer({ dataDirectory });
    expect((await second.client.call('/api/organizations', { credentials: login })).status).toBe(
      401,
    );
    expect((await second.client.call('/api/organizations')).status).toBe(200);
    await second.stop();
  });

  it('does not start on a data directory that is in use, nor with a wrong variable, and says why', async () => {
    const server = await startServer({ dataDirectory });
    await expect(startServer({ dataDirectory })).rejects.toThrow(
      `Millrace cannot start: the data directory ${dataDirectory} is in use by another process; stop that one first`,
    );
    const address = { MILLRACE_HTTP_ADDR: new URL(server.url).host };
    await expect(startServer({ variables: address })).rejects.toThrow(
      /another program listens there; choose another address by MILLRACE_HTTP_ADDR/,
    );
    const status = { MILLRACE_STATUS_ADDR: address.MILLRACE_HTTP_ADDR };
    await expect(startServer({ variables: status })).rejects.toThrow(
      /choose another address by MILLRACE_STATUS_ADDR/,
    );
    await server.stop();
    const nowhere = startServer({ variables: { MILLRACE_HTTP_ADDR: 'nowhere.invalid:5080' } });
    await expect(nowhere).rejects.toThrow(/choose another address by MILLRACE_HTTP_ADDR/);
    const file = startServer({ dataDirectory: join(dataDirectory, 'secret-key') });
    await expect(file).rejects.toThrow(/MILLRACE_DATA_DIR: .*secret-key cannot be written to/);
    const wrong = startServer({ variables: { MILLRACE_MAX_UPLOAD_BYTES: 'lots' } });
    await expect(wrong).rejects.toThrow(/MILLRACE_MAX_UPLOAD_BYTES/);
    const weak = startServer({ variables: { MILLRACE_ROOT_PASSWORD: 'short' } });
    await expect(weak).rejects.toThrow(/MILLRACE_ROOT_PASSWORD.*8 to 128/s);
  });
});
