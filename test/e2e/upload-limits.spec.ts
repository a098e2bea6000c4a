import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { ROOT, startServer, type Server } from '../server/start-server.js';

interface Slow {
  readonly status: number | undefined;
  readonly message: string;
  readonly seconds: number;
}

describe('the limits of one organization and of one client', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({
      variables: {
        MILLRACE_ORG_UPLOAD_REQUESTS_PER_SECOND: '4',
        MILLRACE_ORG_UPLOAD_BYTES_PER_SECOND: '50000',
        MILLRACE_UPLOAD_IDLE_SECONDS: '2',
        MILLRACE_UPLOAD_MIN_BYTES_PER_SECOND: '1000',
      },
    });
    const founder = { email: 'founder@example.com', password: 'Secret-77', role: 'member' };
    const body = JSON.stringify({ ...founder, first_name: 'F', last_name: 'F' });
    await server.client.call('/api/default/users', { body });
    for (const org of ['busy', 'heavy', 'calm', 'slow'])
      await server.client.call(`/api/${org}/users/${founder.email}`, { body: '{"role":"admin"}' });
  });
  afterAll(() => server.stop());

  const upload = (org: string, body: string) =>
    server.client.call(`/api/${org}/logs/_json?wait=true`, { body });
  const count = async (org: string): Promise<number> => {
    const answer = await server.client.call(`/api/${org}/sql`, {
      body: 'SELECT count() AS n FROM logs',
    });
    return answer.json<[{ n: number }]>()[0].n;
  };

  it('is 429 with Retry-After beyond the requests of a second, for that organization alone', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => upload('busy', '{"a":1}')));
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(taken.length).toBeGreaterThanOrEqual(4);
    expect(refused.length).toBeGreaterThanOrEqual(4);
    expect(taken.length + refused.length).toBe(12);
    for (const answer of refused) {
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.json()).toMatchObject({ code: 429 });
    }
    expect((await upload('calm', '{"a":1}')).status).toBe(200);
    expect(await count('busy')).toBe(taken.length);
    // Reading is not uploading.
    expect((await server.client.call('/api/busy/streams')).status).toBe(200);
  });

  it('takes a body above the bytes of a second whole, and the next one later', async () => {
    const large = `{"p":"${'x'.repeat(999)}"}\n`.repeat(5000);
    expect((await upload('heavy', large)).status).toBe(200);
    const refused = await upload('heavy', '{"p":"next"}');
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(1);
    // 5 MB at 50,000 bytes a second: the debt is longer than a busy machine takes to store them.
    expect(seconds).toBeLessThanOrEqual(101);
    expect(await count('heavy')).toBe(5000);
  });

  /** Sends a piece again and again until there is an answer. */
  function drip(piece: string, everyMs: number): Promise<Slow> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL('/api/slow/logs/_json', server.url),
        { method: 'POST', auth: `${ROOT.email}:${ROOT.password}` },
        (response) => {
          clearInterval(timer);
          const seconds = (performance.now() - started) / 1000;
          text(response).then(
            (message) => resolve({ status: response.statusCode, message, seconds }),
            reject,
          );
          sent.end();
        },
      );
      sent.on('error', reject);
      const timer = setInterval(() => sent.write(piece), everyMs);
      sent.write('{"a":1}\n');
    });
  }

  it('gives up on a client that stops, and tells it', async () => {
    const { status, message, seconds } = await drip('', 100);
    expect([status, message]).toEqual([408, expect.stringContaining('stopped for 2 seconds')]);
    expect(seconds).toBeLessThan(10);
  });

  it('gives up on a client that never stops and never ends', async () => {
    const { status, message, seconds } = await drip('{"a":1}\n', 100);
    expect([status, message]).toEqual([408, expect.stringContaining('1000 bytes a second')]);
    expect(seconds).toBeLessThan(10);
    const answer = await server.client.call('/api/slow/logs/schema');
    expect(answer.status).toBe(404);
  });

  it('has patience with one that is slow enough to be told apart, and no slower', async () => {
    const line = `{"p":"${'x'.repeat(400)}"}\n`;
    const started = performance.now();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        new URL('/api/slow/patient/_json', server.url),
        { method: 'POST', auth: `${ROOT.email}:${ROOT.password}` },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sent.on('error', reject);
      let left = 25;
      const timer = setInterval(() => {
        left -= 1;
        if (left > 0) sent.write(line);
        else {
          clearInterval(timer);
          sent.end();
        }
      }, 200);
    });
    expect(status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(4000);
  });
});
