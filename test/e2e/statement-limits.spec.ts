import { connect } from 'node:net';
import { ROOT, startServer, type Server } from '../server/start-server.js';

describe('the limits of a statement', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_LOG_LEVEL: 'debug' } });
    await server.client.upload('logs', [{ a: 1, message: 'x' }]);
  });
  afterAll(() => server.stop());

  /** Sends as a client that reads nothing before it has written everything. */
  function writeThenRead(path: string, bytes: number): Promise<{ head: string; seconds: number }> {
    const { hostname, port } = new URL(server.url);
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let head = '';
      socket.on('error', reject);
      socket.on('data', (piece: Buffer) => {
        head += piece.toString();
        if (!head.includes('\r\n\r\n')) return;
        resolve({ head, seconds: (performance.now() - started) / 1000 });
        socket.destroy();
      });
      const credentials = Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64');
      socket.pause();
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${credentials}\r\n` +
          `Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n`,
      );
      const piece = Buffer.alloc(1 << 16, ' ');
      const next = (left: number): void => {
        if (left <= 0) {
          socket.end('0\r\n\r\n');
          socket.resume();
          return;
        }
        socket.write(`${piece.length.toString(16)}\r\n`);
        socket.write(piece);
        socket.write('\r\n', () => next(left - piece.length));
      };
      next(bytes);
    });
  }

  it.each(['sql', 'graphql', '_search', 'catalog'])(
    'is answered by %s when it is too long, to those too who write all before they read',
    async (route) => {
      const { head, seconds } = await writeThenRead(`/api/default/${route}`, 10_000_000);
      expect(head).toMatch(/^HTTP\/1\.1 413 /);
      expect(seconds).toBeLessThan(20);
    },
    120_000,
  );

  it('may ask for any time-out, and gets what there is', async () => {
    for (const timeout of [3_600_000, 5_000_000, 1e15]) {
      const body = JSON.stringify({ query: { sql: 'SELECT a FROM logs' }, timeout });
      const answer = await server.client.call('/api/default/_search', { body });
      expect([timeout, answer.status, answer.json<{ total: number }>().total]).toEqual([
        timeout,
        200,
        1,
      ]);
    }
  });

  it('that no limit would end is refused, and others are answered', async () => {
    const started = performance.now();
    const sql = 'SELECT arrayLevenshteinDistance(range(400000), range(1,400001))';
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.client.call('/api/default/sql', { body: sql })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
    const one = await server.client.call('/api/default/sql', { body: 'SELECT 1 AS n' });
    expect(one.json()).toEqual([{ n: 1 }]);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it('leaves its literals in no line of the log', async () => {
    const secret = 'hunter2-literal';
    const ask = (path: string, body?: string) =>
      server.client.call(`/api/default/${path}`, body === undefined ? {} : { body });
    const statements = [
      `SELECT toInt64('${secret}')`,
      `SELECT toInt64(message) FROM logs WHERE concat(message, '${secret}') != ''`,
      `SELECT '${secret}' FROM logs WHERE`,
      `SELECT '${secret}`,
      `SELECT nope, '${secret}' FROM logs`,
      `SELECT throwIf(1, '${secret}')`,
      `SELECT nofunction('${secret}')`,
    ];
    for (const sql of statements) {
      await ask('sql', sql).catch(() => 'cut off');
      await ask(`sql?query=${encodeURIComponent(sql)}`).catch(() => 'cut off');
      await ask('_search', JSON.stringify({ query: { sql } }));
    }
    await ask(`tables/logs?filter[message]=${secret}&limit=x`);
    await ask(`logs/_values?fields=a&filter=${encodeURIComponent(`toInt64('${secret}') = 1`)}`);
    await ask('graphql', `{ logs(filter: { a: "${secret}" }) { a } }`);
    const log = server.output();
    expect(log).toContain('"url":"/api/default/sql');
    expect(log.split('\n').filter((line) => line.includes(secret))).toEqual([]);
  });
});
