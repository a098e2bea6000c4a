import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../fixtures/seeded-random.js';
import { rounds, roundsMs } from '../rounds.js';
import { startServer, type Server } from '../server/start-server.js';

const ROUNDS = rounds(2, 40);
const UPLOADS = 6;
const RECORDS = 40;
/** Each upload has so many records that no settings let in. */
const HOPELESS = 3;
/** A round's server is killed at a random moment within so many times what a retry takes. */
const KILL_WITHIN = 2.5;

describe('SIGKILL while rejected records are tried again', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-retry-'));
  const random = seededRandom(20_261_122);
  let server: Server | undefined;
  afterAll(async () => {
    await server?.kill();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  /** @returns what a retry takes, in milliseconds. Records are rejected while the stream holds an old integer that a float cannot, which then goes. */
  async function prepare(to: Server, stream: string): Promise<number> {
    const { client } = to;
    await client.upload(stream, '{"_timestamp":"2020-01-01T00:00:00Z","a":9007199254740993}');
    for (let u = 0; u < UPLOADS; u += 1) {
      const records = Array.from({ length: RECORDS }, (_, n) => ({ a: n + 0.5, u, n }));
      const hopeless = Array.from({ length: HOPELESS }, (_, n) => ({ a: 'text', u, n }));
      expect(await client.upload(stream, [...records, ...hopeless])).toMatchObject({
        failed: RECORDS + HOPELESS,
      });
    }
    const started = performance.now();
    expect((await retry(to, stream)).status).toBe(200);
    const tookMs = performance.now() - started;
    const settings = await client.call(`/api/default/${stream}/settings`, {
      body: '{"data_retention":30}',
    });
    expect(settings.status).toBe(200);
    return tookMs;
  }

  const retry = (to: Server, stream: string, query = '') =>
    to.client.call(`/api/default/${stream}/_rejected/retry${query}`, { method: 'POST' });

  /** Tries again and again, as several people at once would, until the server is gone. */
  async function tryAgain(to: Server, stream: string, query: string): Promise<number> {
    for (let answered = 0; ; answered += 1) {
      const answer = await retry(to, stream, query).catch(() => undefined);
      if (!answer) return answered;
      expect(answer.status).toBe(200);
    }
  }

  it(
    `every record is in one place and once, in ${ROUNDS} rounds`,
    async () => {
      let answered = 0;
      let moved = 0;
      server = await startServer({ dataDirectory });
      for (let round = 0; round < ROUNDS; round += 1) {
        const stream = `r${round}`;
        const tookMs = await prepare(server, stream);
        const [some] = await server.client.sql<{ upload_id: string }>(
          `SELECT upload_id FROM _rejected WHERE stream = '${stream}' LIMIT 1`,
        );
        const running = server;
        const trying = [
          tryAgain(running, stream, ''),
          tryAgain(running, stream, `?upload_id=${some?.upload_id}`),
        ];
        // However slow the machine is, one of the kills is to find a retry that was answered.
        if (round === ROUNDS - 1) answered += (await retry(running, stream)).status === 200 ? 1 : 0;
        await sleep(random() * KILL_WITHIN * tookMs);
        await running.kill();
        answered += (await Promise.all(trying)).reduce((sum, n) => sum + n, 0);

        // The server dies once more as it starts, when the queue delivers again what may be there
        // already.
        server = await startServer({ dataDirectory });
        const again = tryAgain(server, stream, '');
        await sleep(random() * tookMs);
        await server.kill();
        await again;

        server = await startServer({ dataDirectory });
        const { client } = server;
        await client.upload(stream, { a: -1, u: -1, n: 0 });
        moved += (await client.count(stream)) - 1;
        expect((await retry(server, stream, '?wait=true')).status).toBe(200);
        const rows = await client.sql(
          `SELECT u, count() AS c, uniqExact(n) AS d FROM ${stream} WHERE u >= 0 GROUP BY u ORDER BY u`,
        );
        expect([round, rows]).toEqual([
          round,
          Array.from({ length: UPLOADS }, (_, u) => ({ u, c: RECORDS, d: RECORDS })),
        ]);
        const left = await client.sql<{ c: number; d: number }>(
          `SELECT count() AS c, uniqExact(record) AS d, countIf(position(record, 'text') > 0) AS t FROM _rejected WHERE stream = '${stream}'`,
        );
        const hopeless = UPLOADS * HOPELESS;
        expect([round, left]).toEqual([round, [{ c: hopeless, d: hopeless, t: hopeless }]]);
      }
      const all = ROUNDS * UPLOADS * RECORDS;
      console.log(
        `${2 * ROUNDS} kills; ${answered} retries answered; ${moved} of ${all} records had moved by then`,
      );
      expect(moved).toBeGreaterThan(0);
      expect(answered).toBeGreaterThan(0);
    },
    roundsMs(ROUNDS),
  );
});
