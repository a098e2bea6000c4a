import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../fixtures/seeded-random.js';
import { rounds, roundsMs } from '../../rounds.js';
import { startServer, type Server } from '../../server/start-server.js';

const KILLS = rounds(3, 100);
/** One turn of the queue has fewer streams. */
const STREAMS = Array.from({ length: 80 }, (_, n) => `s${n}`);
const CLIENTS = 24;
const KILL_WITHIN_MS = 2500;

describe('exactly once while organizations take turns', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-turns-'));
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ dataDirectory });
    const founder = { email: 'founder@example.com', password: 'Secret-77', role: 'member' };
    await server.client.call('/api/default/users', { body: JSON.stringify(founder) });
    for (const org of ['flood', 'calm'])
      await server.client.call(`/api/${org}/users/${founder.email}`, { body: '{"role":"admin"}' });
  });
  afterAll(async () => {
    await server.kill();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it(
    `loses nothing and doubles nothing of many streams in ${KILLS} SIGKILLs at random moments`,
    async () => {
      const random = seededRandom(20_261_128);
      const places = [...STREAMS.map((stream) => `flood/${stream}`), 'calm/logs'];
      /** True for each record that was acknowledged, by place and number. */
      const sent = new Map(places.map((place) => [place, new Map<number, boolean>()]));
      const stopping = new AbortController();
      let count = 0;
      const send = async (place: string, query = ''): Promise<void> => {
        const u = count++;
        sent.get(place)?.set(u, false);
        const answer = await server.client
          .call(`/api/${place}/_json${query}`, { body: JSON.stringify({ u }) })
          .catch(() => undefined);
        if (answer?.status === 200) sent.get(place)?.set(u, true);
        else await sleep(100);
      };
      const client = async (next: () => Promise<void>): Promise<void> => {
        while (!stopping.signal.aborted) await next();
      };
      const clients = Array.from({ length: CLIENTS }, () =>
        client(() => send(`flood/${STREAMS[count % STREAMS.length]}`)),
      );
      clients.push(client(() => send('calm/logs', '?wait=true')));
      for (let kill = 0; kill < KILLS; kill += 1) {
        await sleep(KILL_WITHIN_MS * (0.5 + random() / 2));
        await server.kill();
        server = await startServer({ dataDirectory });
      }
      stopping.abort();
      await Promise.all(clients);
      await Promise.all(places.map((place) => send(place, '?wait=true')));

      const wrong: object[] = [];
      for (const [place, records] of sent) {
        const [org = '', stream = ''] = place.split('/');
        const body = `SELECT u, count() AS n FROM ${stream} GROUP BY u`;
        const answer = await server.client.call(`/api/${org}/sql`, { body });
        const rows = answer.json<{ u: number; n: number }[]>();
        const found = new Map(rows.map(({ u, n }) => [u, n]));
        for (const [u, acknowledged] of records) {
          const n = found.get(u) ?? 0;
          if (n > 1 || (acknowledged && n === 0)) wrong.push({ place, u, n });
        }
      }
      const acknowledged = [...sent.values()].flatMap((each) => [...each.values()].filter(Boolean));
      console.log(`${KILLS} kills; ${count} uploads, ${acknowledged.length} acknowledged`);
      expect(wrong).toEqual([]);
      expect(acknowledged.length).toBeGreaterThan(places.length);
    },
    roundsMs(KILLS),
  );
});
