import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../server/start-server.js';
import { until } from '../server/until.js';

/** Uploads are on the queue when a server stops; so this runs on Kafka, too. */
describe('a server that stops', () => {
  let dataDirectory: string;
  beforeEach(() => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-stops-'));
  });
  afterEach(() => rmSync(dataDirectory, { recursive: true, force: true }));

  it('has everything again after a restart: data, schema, root', async () => {
    const first = await startServer({ dataDirectory });
    await first.client.upload('logs', [
      { a: 1, tags: ['x'] },
      { a: 2.5, user: { name: 'Ann' } },
    ]);
    await first.client.upload(
      'odd',
      '{"n":null,"m":null,"v":1.50,"w":[1,{}]}\n{"n":null,"v":true}',
    );
    await first.stop();
    const second = await startServer({ dataDirectory });
    expect(await second.client.upload('odd', '{"n":[1],"v":2,"w":[{}]}')).toMatchObject({
      successful: 1,
      failed: 0,
    });
    expect(await second.client.sql('SELECT n, m, v, w FROM odd ORDER BY v')).toEqual([
      { n: [], m: null, v: '1.50', w: '[1,{}]' },
      { n: [1], m: null, v: '2', w: '[{}]' },
      { n: [], m: null, v: 'true', w: null },
    ]);
    expect(await second.client.sql('SELECT a, user.name AS who FROM logs ORDER BY a')).toEqual([
      { a: 1, who: null },
      { a: 2.5, who: 'Ann' },
    ]);
    expect(await second.client.upload('logs', [{ a: 3 }])).toMatchObject({
      successful: 1,
      failed: 0,
    });
    await second.stop();
  });

  it('finishes an upload that waits when it is asked to stop', async () => {
    const server = await startServer({ dataDirectory });
    const upload = server.client.upload('logs', [{ a: 1 }]);
    const [status, code] = await Promise.all([upload, upload.then(() => server.stop())]);
    expect([status.successful, code]).toEqual([1, 0]);
  });

  it('stops soon when it has just begun, and the one before was killed', async () => {
    const killed = await startServer({ dataDirectory });
    await killed.client.upload('logs', [{ a: 0 }]);
    const gone = once(killed.process, 'exit');
    killed.process.kill('SIGKILL');
    await gone;
    const server = await startServer({ dataDirectory });
    const asked = performance.now();
    expect(await server.stop()).toBe(0);
    // On Kafka its consumers wait 10 s until the group has given up the member that was killed.
    expect(performance.now() - asked).toBeLessThan(9000);
  });

  it('finishes what is in work when it stops, and refuses what comes behind it', async () => {
    const server = await startServer({ dataDirectory });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const heard: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => heard.push(bytes));
    const login = Buffer.from('root@example.com:Root-Secret-1').toString('base64');
    const body = '[{"a":1}]';
    socket.write(
      `POST /api/default/logs/_json HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${login}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 4)}`,
    );
    await until(async () => (await server.client.call('/healthz')).status === 200);
    const ended = server.stop();
    const isClosed = (): Promise<boolean> =>
      server.client.call('/healthz').then(
        () => false,
        () => true,
      );
    await until(isClosed);
    socket.write(`${body.slice(4)}GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(socket, 'close');
    const [first = '', second = ''] = Buffer.concat(heard)
      .toString()
      .split(/(?=HTTP\/1\.1 5)/);
    expect(first).toMatch(/^HTTP\/1\.1 200 .*"successful":1/s);
    expect(second).toMatch(/^HTTP\/1\.1 503 /);
    for (const told of [
      /connection: close/i,
      /retry-after: \d/i,
      /x-request-id: \S/i,
      /"code":503,"message":"the server stops/,
    ])
      // prettier-ignore
      expect(second).toMatch(told);
    expect(await ended).toBe(0);
  });
});
