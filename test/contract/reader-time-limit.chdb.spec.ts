import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { WarehouseReader } from '@app/warehouse';
import { endless } from './limits.js';
import { openReaderInProcess, type ReaderInProcess } from './open-reader-in-process.js';

const LIMIT_SECONDS = 1;
const ENOUGH_MS = 1200;
const NEWLINE = 0x0a;

describe("a reader that takes longer than a query's time limit", () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-reader-limit-'));
  let engine: ReaderInProcess;
  let warehouse: WarehouseReader;

  beforeAll(() => {
    engine = openReaderInProcess(directory, endless(LIMIT_SECONDS), 1);
    warehouse = engine.reader;
  });
  afterAll(async () => {
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Lines that came, and how it ended; after its n-th piece the reader takes none until the limit has passed. */
  const read = async (
    rows: number,
    pauseAfter: number,
  ): Promise<{ lines: number; failed: unknown }> => {
    let lines = 0;
    let pieces = 0;
    try {
      const sql = `SELECT number FROM numbers(${rows})`;
      const answer = await warehouse.stream({ sql, format: 'ndjson' });
      const begun = performance.now();
      for await (const piece of answer) {
        for (const byte of piece as Buffer) if (byte === NEWLINE) lines += 1;
        pieces += 1;
        if (pieces !== pauseAfter) continue;
        while (performance.now() - begun < ENOUGH_MS) await delay(5);
      }
      return { lines, failed: undefined };
    } catch (error) {
      return { lines, failed: error };
    }
  };

  // When the limit passes before its last two blocks are fetched, the engine says that it is done.
  it.each([
    [200_000, 1],
    [260_000, 1],
    [320_000, 1],
    [320_000, 2],
  ])(
    'is never told that it has all of %d rows, when it waits after piece %d',
    async (rows, pauseAfter) => {
      const { failed } = await read(rows, pauseAfter);
      expect(failed).toMatchObject({ code: 159, type: 'TIMEOUT_EXCEEDED' });
    },
  );

  it('leaves nothing of it to the next, and has all when it is quick', async () => {
    const { failed } = await read(200_000, 1);
    expect(failed).toMatchObject({ code: 159 });
    // A machine that does other work may need the limit itself now and then.
    let quick = await read(200_000, 0);
    for (let tries = 1; tries < 5 && quick.failed !== undefined; tries += 1)
      quick = await read(200_000, 0);
    expect(quick).toEqual({ lines: 200_000, failed: undefined });
  });
});
