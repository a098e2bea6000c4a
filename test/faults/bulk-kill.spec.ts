import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../fixtures/seeded-random.js';
import { rounds, roundsMs } from '../rounds.js';
import { startServer, type Server } from '../server/start-server.js';

const ROUNDS = rounds(2, 60);
/** The kill comes so long after the first upload of the round is acknowledged, at most. */
const KILL_WITHIN_MS = 1000;
const STREAMS = ['bulk_a', 'bulk_b', 'bulk_c'];

interface Request {
  readonly id: string;
  /** Each stream has so many. */
  readonly records: number;
  acknowledged: boolean;
}

function body({ id, records }: Request): string {
  const documents: string[] = [];
  for (let n = 0; n < records; n += 1)
    for (const stream of STREAMS)
      documents.push(`{"index":{"_index":"${stream}"}}\n{"u":"${id}","n":${n}}\n`);
  return documents.join('');
}

describe('SIGKILL at random moments during bulk requests', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-bulk-kill-'));
  const requests: Request[] = [];
  let server: Server;
  afterAll(async () => {
    await server.kill();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const post = async (to: Server, request: Request): Promise<boolean> => {
    const answer = await to.client
      .call('/api/default/_bulk', {
        body: body(request),
        headers: { 'idempotency-key': request.id },
      })
      .catch(() => undefined);
    if (!answer) return false;
    request.acknowledged = answer.status === 200 && !answer.json<{ errors: boolean }>().errors;
    return true;
  };

  async function send(to: Server, name: string, records: number): Promise<void> {
    for (let count = 0; ; count += 1) {
      const request: Request = { id: `${name}-${count}`, records, acknowledged: false };
      requests.push(request);
      if (!(await post(to, request))) return;
    }
  }

  /** Counts the streams that have a request's records whole, and tells whether any has a part of them. */
  async function found(): Promise<Map<string, { whole: number; broken: boolean }>> {
    const all = new Map<string, { whole: number; broken: boolean }>();
    const expected = new Map(requests.map(({ id, records }) => [id, records]));
    for (const stream of STREAMS) {
      const rows = await server.client.sql<{ u: string; c: number; d: number }>(
        `SELECT u, count() AS c, uniqExact(n) AS d FROM ${stream} GROUP BY u`,
      );
      for (const { u, c, d } of rows) {
        const { whole, broken } = all.get(u) ?? { whole: 0, broken: false };
        const good = c === expected.get(u) && d === c;
        all.set(u, { whole: whole + Number(good), broken: broken || !good });
      }
    }
    return all;
  }

  it(
    'stores each in all its streams or in none, and once when it is sent again',
    async () => {
      const random = seededRandom(20_261_121);
      for (let round = 0; round < ROUNDS; round += 1) {
        const running = await startServer({ dataDirectory });
        server = running;
        const sending = [
          send(running, `r${round}-small`, 5),
          send(running, `r${round}-medium`, 500),
          send(running, `r${round}-large`, 60_000),
        ];
        const begun = (): boolean =>
          requests.some(({ id, acknowledged }) => acknowledged && id.startsWith(`r${round}-`));
        while (!begun()) await sleep(10);
        await sleep(random() * KILL_WITHIN_MS);
        await running.kill();
        await Promise.all(sending);
      }

      server = await startServer({ dataDirectory });
      await server.client.upload('after', [{ a: 1 }]);
      const before = await found();
      const halved = requests.filter(({ id, acknowledged }) => {
        const { whole, broken } = before.get(id) ?? { whole: 0, broken: false };
        return broken || (whole !== STREAMS.length && (acknowledged || whole !== 0));
      });
      expect(halved).toEqual([]);
      const open = requests.filter(({ acknowledged }) => !acknowledged);
      console.log(
        `${ROUNDS} kills, ${requests.length} requests, ${open.length} not acknowledged, ` +
          `${open.filter(({ id }) => before.has(id)).length} of them are there`,
      );

      for (const request of open) await post(server, request);
      expect(open.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
      await server.client.upload('after', [{ a: 1 }]);
      const after = await found();
      const wrong = requests.filter(({ id }) => {
        const { whole, broken } = after.get(id) ?? { whole: 0, broken: true };
        return broken || whole !== STREAMS.length;
      });
      expect(wrong).toEqual([]);
      expect(requests.length).toBeGreaterThan(open.length);
    },
    roundsMs(ROUNDS),
  );
});
