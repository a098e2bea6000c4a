import { startServer, type Server } from '../server/start-server.js';

const STREAMS = 120;
const UPLOADS = 2400;
const CONNECTIONS = 48;
const WAIT_MAX_MS = 10_000;
const LINE = '{"host":"db-1","status":200}\n';

describe('an upload behind many of another organization', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
    const founder = { email: 'founder@example.com', password: 'Secret-77', role: 'member' };
    await server.client.call('/api/default/users', { body: JSON.stringify(founder) });
    for (const org of ['flood', 'calm'])
      await server.client.call(`/api/${org}/users/${founder.email}`, { body: '{"role":"admin"}' });
  });
  afterAll(() => server.stop());

  const upload = async (path: string): Promise<void> => {
    const { status } = await server.client.call(`/api/${path}`, { body: LINE });
    expect(status).toBe(200);
  };
  async function flood(uploads: number, query = ''): Promise<void> {
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < uploads) await upload(`flood/s${next++ % STREAMS}/_json${query}`);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
  }
  async function waiting(): Promise<number> {
    const { bytes } = await server.client.call('/metrics');
    return Number(/^millrace_queue_batches (\d+)$/m.exec(bytes.toString())?.[1]);
  }

  it('is written long before they are, and they are all written once', async () => {
    await upload('calm/logs/_json?wait=true');
    await flood(STREAMS);
    await flood(UPLOADS);
    const startedAt = performance.now();
    await upload('calm/logs/_json?wait=true');
    const took = performance.now() - startedAt;
    expect(await waiting()).toBeGreaterThan(0);
    expect(took).toBeLessThan(WAIT_MAX_MS);

    await flood(STREAMS, '?wait=true');
    const counts = Array.from({ length: STREAMS }, (_, n) => `SELECT count() AS n FROM s${n}`);
    const sql = `SELECT DISTINCT n FROM (${counts.join(' UNION ALL ')}) AS counts`;
    const answer = await server.client.call('/api/flood/sql', { body: sql });
    expect(answer.json()).toEqual([{ n: 1 + UPLOADS / STREAMS + 1 }]);
  }, 120_000);
});
