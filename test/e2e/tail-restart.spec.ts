import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { breath } from '../rounds.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { basic, TailReader } from '../server/tail-reader.js';
import { until } from '../server/until.js';

jest.setTimeout(240_000);

const WRITERS = 3;

describe('a tail over broken connections and restarts', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-tail-'));
  const reader = new TailReader('/api/default/logs/_tail', basic(ROOT.email, ROOT.password));
  let server: Server;
  /** This is set after a failed test, too, so that nobody goes on then. */
  let isOver = false;

  beforeAll(async () => {
    server = await startServer({ dataDirectory });
    await server.client.upload('logs', [{ writer: -1, n: -1 }]);
  });
  afterAll(async () => {
    isOver = true;
    reader.leave();
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('shows each row once, in the order of its writer, while writers post', async () => {
    let isWriting = true;
    let isReading = true;
    const stored = Array.from({ length: WRITERS }, () => 0);
    /** Sends the same again, under its name, until it has an answer. */
    const write = async (writer: number): Promise<void> => {
      for (let batch = 0; isWriting && !isOver; batch += 1) {
        const from = stored[writer] ?? 0;
        const size = 1 + (batch % 7);
        const rows = Array.from({ length: size }, (_, index) => ({
          writer,
          n: from + index,
          // Other columns go into the table by another insert, at the same time.
          ...(batch % 2 === 0 ? { [`only${writer}`]: batch } : {}),
        }));
        const headers = { 'idempotency-key': `${writer}-${batch}` };
        for (let isStored = false; !isStored && !isOver;) {
          const answer = await server.client
            .call('/api/default/logs/_json', { body: JSON.stringify(rows), headers })
            .catch(() => undefined);
          isStored = answer?.status === 200;
          if (!isStored) await sleep(50);
        }
        stored[writer] = from + size;
        await breath();
      }
    };
    let connections = 0;
    const read = async (): Promise<void> => {
      while (isReading && !isOver) {
        const answer = await reader.connect(server.url).catch(() => undefined);
        if (answer?.status === 200) {
          connections += 1;
          await reader.closed;
        } else await sleep(50);
      }
    };
    const reading = read();
    await until(() => Promise.resolve(reader.lastEventId !== ''));
    const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    const more = async (rows: number): Promise<void> => {
      const goal = reader.rows().length + rows;
      await until(() => Promise.resolve(reader.rows().length >= goal));
    };
    for (let cut = 0; cut < 10; cut += 1) {
      await more(5 + cut);
      reader.leave();
    }
    await more(20);
    // The server is stopped in good order once, and killed once.
    expect(await server.stop()).toBe(0);
    expect([reader.end(), reader.retry]).toEqual(['stopping', 2000]);
    server = await startServer({ dataDirectory });
    await more(50);
    await server.kill();
    server = await startServer({ dataDirectory });
    await more(50);
    isWriting = false;
    await Promise.all(writing);
    const all = stored.reduce((sum, each) => sum + each, 0);
    await until(() => Promise.resolve(reader.rows().length >= all));
    // A row that comes after this last one would be a double.
    await server.client.upload('logs', [{ writer: WRITERS, n: 0 }]);
    await until(() => Promise.resolve(reader.rows().some(({ writer }) => writer === WRITERS)));
    isReading = false;
    reader.leave();
    await reading;
    expect(connections).toBeGreaterThan(12);
    const rows = reader.rows<{ writer: number; n: number }>();
    for (let writer = 0; writer < WRITERS; writer += 1)
      expect(rows.filter((row) => row.writer === writer).map(({ n }) => n)).toEqual(
        Array.from({ length: stored[writer] ?? 0 }, (_, n) => n),
      );
    expect(rows).toHaveLength(all + 1);
  });
});
