import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWarehouse, type LocalEngine, type Warehouse } from '@app/warehouse';
import { endless } from './limits.js';

/** Fails long after its first rows. */
const FAILING =
  "SELECT 'of the failed one' AS whose, throwIf(number = 900000) AS x FROM numbers(1000000)";

describe('a statement after one that failed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-leftovers-'));
  let warehouse: Warehouse;
  let localEngine: LocalEngine;

  beforeAll(async () => {
    ({ warehouse, localEngine } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits: endless(20),
      readers: 1,
      acceptors: 1,
      files: [directory],
    }));
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('is answered nothing of it as a text', async () => {
    const ask = (sql: string) => warehouse.text({ sql, format: 'text' });
    await expect(ask(FAILING)).rejects.toMatchObject({ code: 395 });
    expect(await ask("SELECT 'next'")).toBe('next\n');
  });

  it('is answered nothing of it by the local engine', async () => {
    await expect(localEngine.run(FAILING)).rejects.toMatchObject({ code: 395 });
    expect(await localEngine.run("SELECT 'next'")).toBe('next\n');
    const bound = { n: '1' };
    await expect(localEngine.run(`${FAILING} WHERE {n:UInt8} = 1`, bound)).rejects.toMatchObject({
      code: 395,
    });
    expect(await localEngine.run('SELECT {n:UInt8}', bound)).toBe('1\n');
  });

  it('has only its own rows, when the rows before failed or nobody wanted more of them', async () => {
    const rowsOf = async (sql: string, most = Infinity): Promise<number> => {
      let rows = 0;
      const files = { directory, index: 0, rows: 0, bytes: 0, rowsMax: 1, bytesMax: 2 ** 20 };
      for await (const file of localEngine.spool(sql, files)) {
        rows += file.rows;
        if (rows >= most) break;
      }
      return rows;
    };
    for (let round = 0; round < 4; round += 1) {
      await expect(rowsOf(FAILING)).rejects.toMatchObject({ code: 395 });
      expect(await rowsOf('SELECT number FROM numbers(1000000)', 1)).toBeGreaterThan(0);
      expect(await rowsOf("SELECT 'next'")).toBe(1);
    }
  });
});
