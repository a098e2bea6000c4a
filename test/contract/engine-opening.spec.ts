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
  const damaged = async (
    database: string,
    damage: (text: string) => string = () => "ATTACH TABLE _ UUID 'broken",
  ): Promise<() => void> => {
    const first = await open();
    await first.createDatabase(database);
    for (const table of ['logs', 'others']) await first.createTable({ database, table }, [], 'S1');
    await first.close();
    const definition = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .map((path) => join(directory, path))
      .find((path) => path.endsWith(join(database, 'logs.sql')));
    if (definition === undefined) throw new Error('the table has no definition');
    const whole = readFileSync(definition, 'utf8');
    writeFileSync(definition, damage(whole));
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
    expect((await again.tables()).map(({ table }) => table).sort()).toEqual(['logs', 'others']);
    await again.dropDatabase('o_opening');
    await again.close();
  });

  const NO_GRANULES = (text: string): string =>
    text.replace(/index_granularity = \d+/, 'index_granularity = 0');
  const NO_NUMBER = (text: string): string => text.replace(/ UUID '[^']*'/, '');
  const NO_TABLE = (): string => 'ATTACH DATABASE _';

  it.each([
    ['would end it when it is read', 'o_read', NO_GRANULES],
    ['ends it when it is loaded', 'o_loaded', NO_NUMBER],
    ['it does not name', 'o_unnamed', NO_TABLE],
  ])(
    'opens without a table of an organization that %s',
    async (_, database, damage) => {
      const mend = await damaged(database, damage);
      const without = await open();
      expect(without.asideTables()).toMatchObject([{ database, table: 'logs' }]);
      expect((await without.tables()).map(({ table }) => table)).toEqual(['others']);
      await without.close();
      mend();
      const again = await open();
      expect([again.asideTables(), (await again.tables()).length]).toEqual([[], 2]);
      await again.dropDatabase(database);
      await again.close();
    },
    120_000,
  );

  it.each([
    ['would end it when it is read', NO_GRANULES],
    ['it does not name', NO_TABLE],
  ])(
    'names a table of Millrace’s own that %s',
    async (_, damage) => {
      const mend = await damaged('opening', damage);
      const told = /the definition \S+opening\/logs\.sql cannot be used: .*put a good one back/s;
      await expect(open()).rejects.toThrow(told);
      mend();
      await (await open()).close();
    },
    120_000,
  );
});
