import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeParquet } from '../server/make-parquet.js';
import { startServer, type Server } from '../server/start-server.js';
import { selectRows } from './access-rows.js';
import { MemoryWatch } from './process-memory.js';
import { processorSeconds } from './processor-time.js';
import { report } from './report.js';
import { openEngineOfTables } from './open-engine-of-tables.js';

/** `BENCH=short` is for CI: large enough for inserts and merges beside each other. */
const ROWS = process.env.BENCH === 'short' ? 1_000_000 : 43_200_000;
const MIB = 1024 * 1024;
const MEMORY_GROWTH_MAX = 256 * MIB;
/** Unpacked they are more than an upload may have by default. */
const MAX_UPLOAD_BYTES = 8 * 1024 * MIB;

describe('a Parquet file of a gibibyte', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const file = join(directory, 'rows.parquet');
  let server: Server;

  beforeAll(async () => {
    writeParquet(selectRows(0, ROWS), file);
    const variables = { MILLRACE_MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) };
    server = await startServer({ variables });
  }, 600_000);
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('is read, accepted, inserted and merged in bounded memory', async () => {
    const { client } = server;
    const pid = server.process.pid ?? 0;
    await client.upload('warm', [{ a: 1 }]);
    await openEngineOfTables(client, 'warm');
    await client.count('warm');
    const started = { at: performance.now(), processor: processorSeconds(pid) };
    const since = (): string =>
      `${((performance.now() - started.at) / 1000).toFixed(1)} s; ${(processorSeconds(pid) - started.processor).toFixed(1)} s of processor time`;
    const accepting = new MemoryWatch(pid);
    const all = new MemoryWatch(pid);
    const answer = await client.call('/api/default/rows/_parquet', {
      body: createReadStream(file, { highWaterMark: MIB }),
      headers: { 'content-length': String(statSync(file).size) },
    });
    expect(answer.json()).toEqual({
      code: 200,
      status: [{ name: 'rows', successful: ROWS, failed: 0 }],
    });
    const accepted = { growth: accepting.stop(), time: since() };
    // The writer keeps the order, so this upload is written after the big one.
    await client.upload('warm', [{ a: 1 }]);
    await openEngineOfTables(client, 'warm');
    expect(await client.count('rows')).toBe(ROWS);
    const queryable = since();
    const growth = all.stop();
    const mebibytes = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;
    report('A large Parquet file', [
      ['rows', ROWS.toLocaleString('en')],
      ['bytes', `${Math.round(statSync(file).size / 1e6)} MB`],
      ['until it is answered', accepted.time],
      ['until it is queryable', queryable],
      ['growth of resident memory until the answer', mebibytes(accepted.growth)],
      ['growth of resident memory, at most', `${mebibytes(growth)} over ${mebibytes(all.before)}`],
    ]);
    expect(growth).toBeLessThan(MEMORY_GROWTH_MAX);
  }, 1_800_000);
});
