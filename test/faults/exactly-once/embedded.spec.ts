import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../fixtures/seeded-random.js';
import { rounds, roundsMs } from '../../rounds.js';
import { until } from '../../server/until.js';
import { startServer, type Server } from '../../server/start-server.js';
import { LAST, Load } from './load.js';

const KILLS = rounds(3, 300);
/** The kill comes at a random moment after the start, up to this late. */
const KILL_WITHIN_MS = 1200;

describe('exactly once in one process', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-kill-'));
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ dataDirectory });
  });
  afterAll(async () => {
    await server.kill();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it(
    `loses nothing and doubles nothing in ${KILLS} SIGKILLs at random moments`,
    async () => {
      const random = seededRandom(20_261_120);
      const load = new Load(() => server.client);
      load.start();
      for (let kill = 0; kill < KILLS; kill += 1) {
        await sleep(random() * KILL_WITHIN_MS);
        await server.kill();
        server = await startServer({ dataDirectory });
      }
      // However slow the machine is: some of all sizes got through, between kills or after them.
      const isEnough = (): boolean =>
        load.acknowledged > KILLS &&
        load.has((sent) => sent.acknowledged && sent.records === 90_000);
      await until(() => Promise.resolve(isEnough()));
      await load.stop();
      // Batches are written in order: when this one is there, all before it are.
      await server.client.upload('one', [{ u: LAST, n: 0, p: '' }]);
      const { wrong, ...sums } = await load.outcome();
      console.log(`${KILLS} kills; ${JSON.stringify(sums)}`);
      expect(wrong).toEqual([]);
      expect(sums.acknowledged).toBeGreaterThan(KILLS);
    },
    roundsMs(KILLS),
  );
});
