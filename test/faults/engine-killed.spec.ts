import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { startServer, type Server } from '../server/start-server.js';
import { breath, rounds } from '../rounds.js';

const KILLS = rounds(3, 60);
const UPLOADERS = 3;
const ASKERS = 3;
const RECORDS = 40;
const BACK_MS = 3000;
/** The machine may do other things, too. */
const BACK_MAX_MS = 15_000;

describe(`the engine is killed ${KILLS} times under load`, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
    await server.client.upload('load', '{"u":-1,"n":0}');
  });
  afterAll(() => server.stop());

  const enginePid = (): number | undefined => {
    try {
      const found = execFileSync('pgrep', ['-P', String(server.process.pid), '-f', 'run-engine']);
      return Number(found.toString().trim().split('\n')[0]);
    } catch {
      return undefined;
    }
  };

  it('acknowledges uploads meanwhile, loses and doubles none, and is back at once', async () => {
    let running = true;
    let next = 0;
    const taken: number[] = [];
    const refused: string[] = [];
    const upload = async (): Promise<void> => {
      while (running) {
        const u = (next += 1);
        const lines = Array.from({ length: RECORDS }, (_, n) => `{"u":${u},"n":${n}}\n`).join('');
        const { status, bytes } = await server.client.call('/api/default/load/_json', {
          body: lines,
        });
        if (status === 200) taken.push(u);
        else refused.push(`upload ${status} ${bytes.toString()}`);
        await breath();
      }
    };
    const ask = async (): Promise<void> => {
      while (running) {
        try {
          const { status, headers, bytes } = await server.client.call('/api/default/sql', {
            body: 'SELECT u, count() AS c FROM load GROUP BY u ORDER BY u',
          });
          // An answer is complete, or a clear error; the client fails for one that is cut off.
          if (status === 200) JSON.parse(bytes.toString());
          else if (status !== 503 || headers['retry-after'] === undefined)
            refused.push(`query ${status} ${bytes.toString()}`);
        } catch (error) {
          if (error instanceof SyntaxError) refused.push('an answer that was cut looked whole');
        }
        await breath();
      }
    };
    const load = [
      ...Array.from({ length: UPLOADERS }, upload),
      ...Array.from({ length: ASKERS }, ask),
    ];
    const back: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      await delay(200 + (kill % 7) * 60);
      const pid = enginePid();
      if (pid === undefined) throw new Error('there is no engine');
      process.kill(pid, 'SIGKILL');
      const begun = performance.now();
      for (;;) {
        const { status } = await server.client.call('/api/default/sql', { body: 'SELECT 1 AS n' });
        if (status === 200 && enginePid() !== pid) break;
        if (performance.now() - begun > BACK_MAX_MS) break;
      }
      back.push(performance.now() - begun);
    }
    running = false;
    await Promise.allSettled(load);
    await server.client.upload('load', '{"u":-1,"n":1}');
    const rows = await server.client.sql<{ u: number; c: number; d: number }>(
      'SELECT u, count() AS c, uniqExact(n) AS d FROM load WHERE u >= 0 GROUP BY u',
    );
    const stored = new Map(rows.map(({ u, c, d }) => [u, { c, d }]));
    const wrong = taken.filter((u) => {
      const { c, d } = stored.get(u) ?? { c: 0, d: 0 };
      return c !== RECORDS || d !== RECORDS;
    });
    const [median = 0, worst = 0] = [back.sort((a, b) => a - b)[KILLS >> 1], back.at(-1)];
    console.log(
      `${taken.length} uploads acknowledged over ${KILLS} kills; back after ${Math.round(median)} ms (median), ${Math.round(worst)} ms (worst)`,
    );
    expect(refused).toEqual([]);
    expect(wrong).toEqual([]);
    expect(taken.length).toBeGreaterThan(KILLS);
    expect(median).toBeLessThan(BACK_MS);
    expect(worst).toBeLessThan(BACK_MAX_MS);
  }, 600_000);
});
