import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { WholeResult, type QueryProgress, type WarehouseReader } from '@app/warehouse';
import { endless } from './limits.js';
import { openReaderInProcess, type ReaderInProcess } from './open-reader-in-process.js';

const FEW = 3;
/** This is more than an answer in memory may have. */
const MANY = 20_000;
const GROWS_AFTER_MS = 2000;

/**
 * Gives few rows at once until `then`, and many rows after a second from then on, by the engine's
 * clock. It is never the same statement twice.
 */
const growing = (then: number, seconds: number): string => {
  const grown = `(toUnixTimestamp64Milli(now64(3)) >= ${then})`;
  return `SELECT number, sleep(if(${grown}, ${seconds}, 0)) FROM numbers(if(${grown}, ${MANY}, ${FEW}))`;
};

describe('a statement that is run once more, since there is more of its answer', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-second-run-'));
  let engine: ReaderInProcess;
  let warehouse: WarehouseReader;

  beforeAll(() => {
    engine = openReaderInProcess(directory, endless(3), 1);
    warehouse = engine.reader;
  });
  afterAll(async () => {
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Reads the answer after it has grown. */
  const grown = async (
    seconds: number,
    onSample?: (progress: QueryProgress) => void,
  ): Promise<string> => {
    const then = Date.now() + GROWS_AFTER_MS;
    const sql = growing(then, seconds);
    const ask = () => warehouse.stream({ sql, format: 'ndjson', ...(onSample && { onSample }) });
    await text(await ask());
    const small = await ask();
    expect(small).toBeInstanceOf(WholeResult);
    while (Date.now() <= then) await delay(5);
    return text(await ask());
  };

  it('tells what both runs have read', async () => {
    let last: QueryProgress | undefined;
    const lines = (await grown(1, (progress) => (last = progress))).trimEnd().split('\n');
    expect(lines).toHaveLength(MANY);
    expect(last?.rowsRead).toBe(2 * MANY);
  });

  it('has the time of one', async () => {
    await expect(grown(2)).rejects.toMatchObject({ code: 159 });
  });
});
