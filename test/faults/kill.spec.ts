import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../fixtures/seeded-random.js';
import { startServer, type Server } from '../server/start-server.js';

const ROUNDS = 20;
/** A round's uploads go on until the server is killed, at a random moment up to this late. */
const KILL_WITHIN_MS = 1200;

interface Upload {
  readonly id: string;
  readonly records: number;
  acknowledged: boolean;
}

/** Records of one upload: its id and their number, so that lost, doubled and halved ones show. */
function body({ id, records }: Upload, padding: string): string {
  const lines: string[] = [];
  for (let n = 0; n < records; n += 1) lines.push(`{"u":"${id}","n":${n},"p":"${padding}"}`);
  return lines.join('\n');
}

describe('SIGKILL at random moments during uploads', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-kill-'));
  const uploads: Upload[] = [];
  let server: Server | undefined;
  afterAll(async () => {
    await server?.kill();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  /** Sends uploads one after the other until the server is gone. */
  async function send(to: Server, name: string, records: number, padding: string): Promise<void> {
    for (let count = 0; ; count += 1) {
      const upload: Upload = { id: `${name}-${count}`, records, acknowledged: false };
      uploads.push(upload);
      const answer = await to.client
        .call('/api/default/faults/_json', { body: body(upload, padding) })
        .catch(() => undefined);
      if (!answer) return;
      // Nothing but an answer that says so is an acknowledgement.
      upload.acknowledged = answer.status === 200;
    }
  }

  it(`loses nothing and doubles nothing in ${ROUNDS} rounds`, async () => {
    const random = seededRandom(20_261_120);
    for (let round = 0; round < ROUNDS; round += 1) {
      const running = await startServer({ dataDirectory });
      server = running;
      const sending = [
        ...Array.from({ length: 8 }, (_, index) => send(running, `r${round}-small${index}`, 1, '')),
        send(running, `r${round}-medium`, 2000, 'm'.repeat(50)),
        // More than one chunk, and so several batches that must come together.
        send(running, `r${round}-large`, 80_000, 'l'.repeat(250)),
      ];
      await sleep(random() * KILL_WITHIN_MS);
      await running.kill();
      await Promise.all(sending);
    }

    server = await startServer({ dataDirectory });
    // Batches are written in order: when this one is there, all before it are.
    await server.client.upload('faults', [{ u: 'last', n: 0, p: '' }]);
    const rows = await server.client.sql<{ u: string; c: number; d: number }>(
      'SELECT u, count() AS c, uniqExact(n) AS d FROM faults GROUP BY u',
    );
    const found = new Map(rows.map(({ u, c, d }) => [u, { c, d }]));
    const wrong = uploads.filter(({ id, records, acknowledged }) => {
      const { c, d } = found.get(id) ?? { c: 0, d: 0 };
      const whole = c === records && d === records;
      return acknowledged ? !whole : !(whole || c === 0);
    });
    const acknowledged = uploads.filter((upload) => upload.acknowledged);
    console.log(
      `${ROUNDS} kills; ${acknowledged.length} of ${uploads.length} uploads acknowledged, ` +
        `${acknowledged.reduce((sum, { records }) => sum + records, 0)} records; ` +
        `${uploads.filter(({ id, acknowledged: answered }) => !answered && found.has(id)).length} unacknowledged ones are there whole`,
    );
    expect(
      wrong.map(({ id, records, acknowledged: answered }) => ({
        id,
        records,
        answered,
        ...found.get(id),
      })),
    ).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(ROUNDS);
    expect(acknowledged.some(({ records }) => records === 80_000)).toBe(true);
  }, 300_000);
});
