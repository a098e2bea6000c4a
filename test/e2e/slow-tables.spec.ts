import { startServer, type Server } from '../server/start-server.js';

// An engine that has other work takes its time for two thousand columns.
const TIMEOUT_MS = 240_000;
const COLUMNS = 1_900;

describe('a table of one organization that the engine takes long to change', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
    const ann = { email: 'ann@example.com', password: 'Secret-77' };
    const body = JSON.stringify({ ...ann, role: 'member' });
    expect((await server.client.call('/api/default/users', { body })).status).toBe(200);
    for (const name of ['wide', 'other']) {
      const founding = { body: '{"role":"admin"}', credentials: ann };
      const path = `/api/${name}/users/${ann.email}`;
      expect((await server.client.call(path, founding)).status).toBe(200);
    }
  });
  afterAll(() => server.stop());

  const upload = async (organization: string, stream: string, record: object): Promise<void> => {
    const body = JSON.stringify([record]);
    const answer = await server.client.call(`/api/${organization}/${stream}/_json`, { body });
    expect(answer.status).toBe(200);
  };

  it(
    'keeps no new stream of another waiting',
    async () => {
      await upload('wide', 'w', { seed: 1 });
      await upload('other', 'first', { seed: 1 });
      let isAltered = false;
      const record = Object.fromEntries(
        Array.from({ length: COLUMNS }, (_, n) => [`column_${n}`, n % 2 ? n : `text ${n}`]),
      );
      const altering = upload('wide', 'w', record).finally(() => (isAltered = true));
      let made = 0;
      for (; !isAltered; made += 1) await upload('other', `new-${made}`, { n: 1 });
      await altering;
      // One may be made before the change begins, and one waited until it had ended.
      expect(made).toBeGreaterThan(2);
    },
    TIMEOUT_MS,
  );
});
