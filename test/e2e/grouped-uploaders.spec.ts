import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const ANN = { email: 'ann@grouped.example.com', password: 'Secret-77' };
const ROUNDS = 40;
/** Root sends so many uploads beside each of Ann's. */
const OTHERS = 6;

describe('small uploads of several people to one stream', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
    const person = { ...ANN, first_name: 'F', last_name: 'L', role: 'member' };
    const added = await server.client.call('users', { body: JSON.stringify(person) });
    expect(added.status).toBe(200);
    await server.client.upload('logs', [{ a: 1 }]);
  });
  afterAll(() => server.giveBack());

  it('change the schema each in the name of its own uploader', async () => {
    const { client } = server;
    const uploads: Promise<number>[] = [];
    const upload = (record: object, credentials?: typeof ANN): void => {
      const call = { body: JSON.stringify([record]), ...(credentials ? { credentials } : {}) };
      uploads.push(client.call('logs/_json', call).then(({ status }) => status));
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let other = 0; other < OTHERS; other += 1) upload({ a: round });
      upload({ a: round, [`ann_${round}`]: 1 }, ANN);
    }
    expect(new Set(await Promise.all(uploads))).toEqual(new Set([200]));
    const changes = await client.sql(
      "SELECT DISTINCT actor FROM _audit WHERE type = 'StreamSchemaEvolved' AND data LIKE '%ann_%'",
    );
    expect(changes).toEqual([{ actor: ANN.email }]);
    await client.call('logs/_json?wait=true', { body: '[{"a":1}]' });
    expect(await client.count('logs')).toBe(2 + ROUNDS * (OTHERS + 1));
  });
});
