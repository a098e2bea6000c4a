import { startServer, type Server } from '../server/start-server.js';

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
    // As long as it takes to be counted, which on a fast machine is some more.
    const counted = async (rows: number): Promise<void> => {
      const statement = `SELECT sum(cityHash64(number, number)) AS s FROM numbers(${rows})`;
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
  }, 60_000);
});
