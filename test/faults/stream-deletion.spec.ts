import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../fixtures/seeded-random.js';
import { rounds, roundsMs } from '../rounds.js';
import { startServer, type Server } from '../server/start-server.js';

const ROUNDS = rounds(2, 60);
const WORKERS = 6;
/** A round's server is killed when so many requests of all workers were answered, and a moment later. */
const REQUESTS_A_ROUND = 25;
const A_MOMENT_MS = 200;
const RECORDS = 20;

/** One stream that somebody fills, deletes and fills again, one request after the other. */
interface Worker {
  readonly stream: string;
  /** Uploads that were answered since the last deletion that was. */
  stored: Set<string>;
  /** This change was on its way when the server died. */
  pending: { readonly upload: string } | 'deletion' | undefined;
  uploads: number;
  deletions: number;
}

describe('SIGKILL while streams are deleted and made again', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-deletion-'));
  const random = seededRandom(20_261_121);
  let server: Server | undefined;
  let answered = 0;
  const enough = new EventEmitter();
  afterAll(async () => {
    await server?.kill();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  /** Works until the server has ended. */
  async function work(to: Server, worker: Worker, round: number): Promise<void> {
    for (let count = 0; ; count += 1) {
      if (worker.stored.size > 0 && random() < 0.3) {
        worker.pending = 'deletion';
        const answer = await to.client
          .call(`/api/default/${worker.stream}`, { method: 'DELETE' })
          .catch(() => undefined);
        if (!answer) return;
        expect(answer.status).toBe(200);
        worker.stored.clear();
        worker.deletions += 1;
      } else {
        const upload = `${round}-${count}`;
        worker.pending = { upload };
        const records = Array.from({ length: RECORDS }, (_, n) => ({ u: upload, n }));
        const answer = await to.client
          .call(`/api/default/${worker.stream}/_json`, {
            body: JSON.stringify([...records, 'rejected']),
          })
          .catch(() => undefined);
        if (!answer) return;
        expect(answer.status).toBe(200);
        worker.stored.add(upload);
        worker.uploads += 1;
      }
      worker.pending = undefined;
      answered += 1;
      if (answered === REQUESTS_A_ROUND) enough.emit('enough');
    }
  }

  /** Reads the rows that the server has of a worker's stream, by upload. */
  async function found(to: Server, { stream }: Worker): Promise<Map<string, unknown>> {
    const answer = await to.client.call('/api/default/sql', {
      body: `SELECT u, count() AS c, uniqExact(n) AS d FROM ${stream} GROUP BY u`,
    });
    if (answer.status !== 200) {
      // The stream is gone, or an upload has made it and was interrupted before it could add
      // columns.
      expect(answer.bytes.toString()).toMatch(/"code":404|Unknown expression identifier `u`/);
      return new Map();
    }
    const rows = answer.json<{ u: string; c: number; d: number }[]>();
    return new Map(rows.map(({ u, c, d }) => [u, [c, d]]));
  }

  it(
    `nothing of a deleted stream comes back, nothing of the next is lost, in ${ROUNDS} rounds`,
    async () => {
      const workers = Array.from({ length: WORKERS }, (_, n): Worker => ({
        stream: `w${n}`,
        stored: new Set(),
        pending: undefined,
        uploads: 0,
        deletions: 0,
      }));
      server = await startServer({ dataDirectory });
      for (let round = 0; round < ROUNDS; round += 1) {
        const running = server;
        answered = 0;
        const reached = once(enough, 'enough');
        const working = workers.map((worker) => work(running, worker, round));
        await reached;
        await sleep(random() * A_MOMENT_MS);
        await running.kill();
        await Promise.all(working);

        server = await startServer({ dataDirectory });
        // Batches are written in order: when this one is there, all before it are.
        await server.client.upload('marker', [{ round }]);
        for (const worker of workers) {
          const there = await found(server, worker);
          const whole = [...there].filter(
            ([, counts]) => JSON.stringify(counts) !== `[${RECORDS},${RECORDS}]`,
          );
          expect([worker.stream, round, whole]).toEqual([worker.stream, round, []]);
          const names = [...there.keys()].sort();
          const { pending, stored } = worker;
          const possible = [[...stored].sort()];
          if (pending === 'deletion') possible.push([]);
          else if (pending) possible.push([...stored, pending.upload].sort());
          expect(possible).toContainEqual(names);
          const [rejected] = await server.client.sql<{ n: number }>(
            `SELECT count() AS n FROM _rejected WHERE stream = '${worker.stream}'`,
          );
          expect([worker.stream, round, rejected?.n]).toEqual([worker.stream, round, names.length]);
          worker.stored = new Set(names);
          worker.pending = undefined;
        }
      }
      const sum = (of: (worker: Worker) => number): number =>
        workers.reduce((all, each) => all + of(each), 0);
      console.log(
        `${ROUNDS} kills; ${sum(({ uploads }) => uploads)} uploads, ${sum(({ deletions }) => deletions)} deletions acknowledged`,
      );
      expect(sum(({ deletions }) => deletions)).toBeGreaterThan(ROUNDS);
    },
    roundsMs(ROUNDS),
  );
});
