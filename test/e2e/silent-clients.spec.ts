import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const IDLE_SECONDS = 1;
const QUERY_SECONDS = 8;
const AUTH = `${ROOT.email}:${ROOT.password}`;

describe('a client that is silent', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({
      variables: {
        MILLRACE_UPLOAD_IDLE_SECONDS: String(IDLE_SECONDS),
        MILLRACE_QUERY_TIMEOUT_SECONDS: String(QUERY_SECONDS),
      },
    });
    const row = (n: number): string => `{"n":${n},"t":"${'x'.repeat(500)}"}\n`;
    await server.client.upload('logs', Array.from({ length: 50_000 }, (_, n) => row(n)).join(''));
  });
  afterAll(() => server.stop());

  it('because it waits for its answer gets it', async () => {
    const started = performance.now();
    const answer = await server.client.call('/api/default/sql', {
      body: 'SELECT count() FROM logs a CROSS JOIN logs b CROSS JOIN logs c WHERE a.n + b.n = c.n',
    });
    expect(performance.now() - started).toBeGreaterThan(2 * IDLE_SECONDS * 1000);
    expect(answer.status).toBe(408);
    expect(answer.json()).toMatchObject({ code: 408 });
  });

  /** Begins a body and does not go on. */
  const stop = (path: string): Promise<[number | undefined, string]> =>
    new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, server.url),
        { method: 'POST', auth: AUTH, headers: { 'content-length': 1000 } },
        (response) => {
          text(response).then((message) => resolve([response.statusCode, message]), reject);
        },
      );
      sent.on('error', reject);
      sent.write('{"query":');
    });

  it.each(['sql', '_search', 'users', 'logs/_json'])(
    'in the middle of its body is told, and not waited for (%s)',
    async (route) => {
      const answer = await stop(`/api/default/${route}`);
      expect(answer).toEqual([408, expect.stringContaining('stopped for 1 seconds')]);
    },
    120_000,
  );

  it('and does not take its answer is left', async () => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(
        new URL('/api/default/sql', server.url),
        { method: 'POST', auth: AUTH },
        resolve,
      );
      sent.on('error', reject).end('SELECT * FROM logs');
    });
    // The query would go on for longer than nothing is read here.
    for (let times = 0; times < 3; times += 1) await stop('/api/default/logs/_json');
    await expect(text(response)).rejects.toThrow('aborted');
    expect(response.complete).toBe(false);
  });
});
