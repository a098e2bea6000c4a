import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../fixtures/seeded-random.js';
import { rounds, roundsMs } from '../rounds.js';
import type { Answer, Call } from '../server/client.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const ROUNDS = rounds(2, 60);
const STREAMS = 4;
/** Some kills come before the event is stored, some after, some when all is done. */
const A_MOMENT_MS = 40;

/** Each round one organization is being deleted when the server dies; it is whole afterwards, or gone. */
describe('SIGKILL while an organization is deleted', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-ended-'));
  const random = seededRandom(20_261_125);
  let server: Server;
  const ask = (path: string, call?: Call): Promise<Answer> => server.client.call(path, call);
  const databases = (): string[] =>
    readdirSync(join(dataDirectory, 'warehouse/store/metadata')).filter((file) =>
      /^o_\w+\.sql$/.test(file),
    );
  const make = async (org: string): Promise<void> => {
    const made = await ask(`/api/${org}/users/ann@example.com`, { body: '{"role":"admin"}' });
    expect(made.status).toBe(200);
  };
  const count = (org: string, n: number): Promise<Answer> =>
    ask(`/api/${org}/sql`, { body: `SELECT count() AS n FROM s${n}` });

  beforeAll(async () => {
    server = await startServer({ dataDirectory });
    const person = { email: 'ann@example.com', password: 'Secret-77', role: 'viewer' };
    expect((await ask('/api/default/users', { body: JSON.stringify(person) })).status).toBe(200);
  });
  afterAll(async () => {
    await server.kill();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it(
    `it is whole or gone, its name is free, and its queued batches hold nobody up, in ${ROUNDS} rounds`,
    async () => {
      let gone = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const org = `org${round}`;
        const before = databases();
        await make(org);
        for (let n = 0; n < STREAMS; n += 1)
          expect((await ask(`/api/${org}/s${n}/_json`, { body: '[{"n":1},7]' })).status).toBe(200);
        const [own] = databases().filter((each) => !before.includes(each));
        const call = { method: 'DELETE', body: JSON.stringify({ name: org }) };
        const ending = ask(`/api/${org}`, call).catch(() => undefined);
        await sleep(random() * A_MOMENT_MS);
        await server.kill();
        const answer = await ending;
        if (answer) expect(answer.status).toBe(200);

        server = await startServer({ dataDirectory });
        await server.client.upload('marker', [{ round }]);
        const found = await count(org, 0);
        if (found.status === 200) {
          expect(answer).toBeUndefined();
          for (let n = 0; n < STREAMS; n += 1)
            expect((await count(org, n)).json()).toEqual([{ n: 1 }]);
          expect((await ask(`/api/${org}`, call)).status).toBe(200);
        } else gone += 1;
        expect((await count(org, 0)).status).toBe(404);
        expect(databases()).not.toContain(own);
        await make(org);
        expect((await ask(`/api/${org}/streams`)).json()).toMatchObject({ total: 0 });
        const hits = (await ask('/api/default/audit?type=OrganizationDeleted&size=100')).json<{
          hits: { actor: string; data: { name: string } }[];
        }>().hits;
        const told = hits.filter(({ data }) => data.name === org);
        expect(told.map(({ actor }) => actor)).toEqual([ROOT.email]);
      }
      console.log(`${ROUNDS} kills, ${gone} of them after the organization had been deleted`);
    },
    roundsMs(ROUNDS),
  );
});
