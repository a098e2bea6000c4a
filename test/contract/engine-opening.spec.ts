import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../libs/warehouse/engine/index.js';
import { endless } from './limits.js';

describe('an engine that cannot be opened', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-opening-'));
  const open = async () => {
    const { warehouse } = await openEngine({
      directory,
      limits: endless(1),
      memoryBytes: 2 ** 30,
      readers: 1,
      closeEngine: () => Promise.resolve(),
      tell: () => undefined,
    });
    return warehouse;
  };
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** Makes a table, closes the engine, and damages the table's definition. @returns what mends it */
  const damaged = async (database: string): Promise<() => void> => {
    const first = await open();
    await first.createDatabase(database);
    await first.createTable({ database, table: 'logs' }, [], 'S1');
    await first.close();
    const definition = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .map((path) => join(directory, path))
      .find((path) => path.endsWith(join(database, 'logs.sql')));
    if (definition === undefined) throw new Error('the table has no definition');
    const whole = readFileSync(definition);
    writeFileSync(definition, "ATTACH TABLE _ UUID 'broken");
    return () => writeFileSync(definition, whole);
  };

  it('says which table has a broken definition, and opens when that is mended', async () => {
    const mend = await damaged('opening');
    await expect(open()).rejects.toThrow(/the engine cannot open the data directory .*logs\.sql/s);
    await expect(open()).rejects.not.toThrow(/in use/);
    mend();
    await (await open()).close();
  });

  it('opens without a table of an organization, and has it again', async () => {
    const mend = await damaged('o_opening');
    const without = await open();
    expect(without.asideTables()).toMatchObject([{ database: 'o_opening', table: 'logs' }]);
    await without.close();
    mend();
    const again = await open();
    expect(again.asideTables()).toEqual([]);
    expect(await again.tables()).toMatchObject([{ table: 'logs' }]);
    await again.close();
  });
});
