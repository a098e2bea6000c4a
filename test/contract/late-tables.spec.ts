import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { EngineEvent } from '@app/warehouse';
import { openEngine, type EngineWarehouse } from '../../libs/warehouse/engine/index.js';
import { markTables } from '../../libs/warehouse/engine/table-marks.mjs';
import { rounds } from '../rounds.js';
import { endless } from './limits.js';

const DATABASES = Array.from({ length: 40 }, (_, n) => `o_${String(n).padStart(32, '0')}`);
const [FIRST = '', SECOND = '', THIRD = ''] = DATABASES;
/** It has no table, and so no folder yet. */
const EMPTY = `o_${'e'.repeat(32)}`;
const TABLES = ['a', 'b', 'c d.e'];
const STREAM = '01S';
const COLUMNS = [{ name: 'n', type: 'Nullable(Int64)' }];
const KILLS = rounds(4, 40);
/** The engine's numbers for a connection that was lost, and for an engine that does not come in time. */
const NETWORK_ERROR = 210;

describe('tables that the engine loads after its start', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-late-'));
  const store = join(directory, 'store');
  let events: EngineEvent[] = [];
  let opened: EngineWarehouse;

  const open = async (): Promise<void> => {
    events = [];
    opened = await openEngine({
      directory,
      limits: endless(30),
      memoryBytes: 2 ** 30,
      readers: 8,
      closeEngine: () => Promise.resolve(),
      tell: (event) => events.push(event),
    });
  };
  const kill = async (): Promise<void> => {
    const { pid, generation } = await opened.engine.ready(20_000);
    process.kill(pid, 'SIGKILL');
    await opened.engine.gone(generation, 5000);
  };
  const count = async (database: string, table: string): Promise<string> => {
    const sql = `SELECT count() FROM "${table}"`;
    return text(await opened.warehouse.stream({ sql, database, format: 'text' }));
  };
  const folderOf = (database: string): string => {
    const definition = readFileSync(join(store, 'metadata', `${database}.sql`), 'utf8');
    const [, uuid = ''] = /UUID '([^']+)'/.exec(definition) ?? [];
    return join(store, 'store', uuid.slice(0, 3), uuid);
  };
  const marks = (): readonly string[] =>
    readdirSync(join(store, 'metadata'))
      .filter((file) => /^o_\w+\.sql$/.test(file))
      .map((file) => folderOf(file.slice(0, -'.sql'.length)))
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder))
      .filter((file) => file.endsWith('.detached'));

  beforeAll(async () => {
    await open();
    const { warehouse } = opened;
    for (const database of DATABASES) {
      await warehouse.createDatabase(database);
      for (const table of TABLES) await warehouse.createTable({ database, table }, COLUMNS, STREAM);
    }
    await warehouse.createDatabase(EMPTY);
  }, 120_000);
  afterAll(async () => {
    await opened.warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('are all there for whoever asks for one, or takes stock of all, after the engine’s death', async () => {
    const { warehouse } = opened;
    await kill();
    const [tables, databases, last, counts] = await Promise.all([
      warehouse.tables(),
      warehouse.databases(),
      count(DATABASES.at(-1) ?? '', 'c d.e'),
      Promise.all(DATABASES.map((each) => count(each, 'b'))),
    ]);
    expect(last).toBe('0\n');
    expect(new Set(counts)).toEqual(new Set(['0\n']));
    expect(databases).toHaveLength(DATABASES.length + 1);
    expect(tables).toHaveLength(DATABASES.length * TABLES.length);
    expect(tables.every(({ streamId, columns }) => streamId === STREAM && columns.length > 1)).toBe(true); // prettier-ignore
    expect(marks()).toEqual([]);
  }, 60_000);

  it('are never taken for missing, however often it dies while it loads them', async () => {
    const wrong: unknown[] = [];
    let isDone = false;
    let answers = 0;
    const ask = async (offset: number): Promise<void> => {
      for (let n = offset; !isDone; n += 7)
        try {
          const each = DATABASES[n % DATABASES.length] ?? '';
          if ((await count(each, TABLES[n % TABLES.length] ?? '')) !== '0\n') wrong.push(n);
          answers += 1;
        } catch (error) {
          if ((error as { code?: number }).code !== NETWORK_ERROR) wrong.push(error);
        }
    };
    const takeStock = async (): Promise<void> => {
      while (!isDone)
        try {
          const { length } = await opened.warehouse.tables();
          if (length !== DATABASES.length * TABLES.length) wrong.push(length);
          answers += 1;
        } catch (error) {
          if ((error as { code?: number }).code !== NETWORK_ERROR) wrong.push(error);
        }
    };
    const asking = [ask(0), ask(13), ask(26), takeStock()];
    for (let n = 0; n < KILLS; n += 1) {
      await kill();
      // The next one dies while it loads: at the first answer, which is of one database.
      await count(DATABASES[n % DATABASES.length] ?? '', 'a');
    }
    isDone = true;
    await Promise.all(asking);
    expect(wrong).toEqual([]);
    expect(answers).toBeGreaterThan(KILLS);
  }, 300_000);

  it('are changed, dropped and made again as any others', async () => {
    const { warehouse } = opened;
    const [kept, gone] = [
      { database: FIRST, table: 'a' },
      { database: FIRST, table: 'b' },
    ];
    await kill();
    await Promise.all([
      warehouse.setRetention(kept, 3),
      warehouse.addColumns(kept, [{ name: 'm', type: 'Nullable(String)' }]),
      warehouse.dropDatabase(SECOND),
      warehouse.dropTable(gone).then(() => warehouse.createTable(gone, COLUMNS, '02S')),
    ]);
    await kill();
    const tables = await warehouse.tables();
    expect(tables).toHaveLength((DATABASES.length - 1) * TABLES.length);
    const found = tables.find((each) => each.database === FIRST && each.table === 'a');
    expect(found).toMatchObject({ retentionDays: 3, streamId: STREAM });
    expect(found?.columns.map(({ name }) => name)).toContain('m');
    expect(tables.find((each) => each.database === FIRST && each.table === 'b')?.streamId).toBe('02S'); // prettier-ignore
  }, 60_000);

  it('are loaded by the next engine’s start where this one does not load one of them', async () => {
    // Its kind is none that we may make; the engine’s own start does not mind.
    const uuid = 'aaaaaaaa-0000-4000-8000-000000000000';
    writeFileSync(
      join(folderOf(THIRD), 'odd.sql'),
      `ATTACH TABLE _ UUID '${uuid}' (\`x\` Int8) ENGINE = Log\n`,
    );
    events = [];
    await kill();
    expect(await opened.warehouse.tables()).toHaveLength((DATABASES.length - 1) * TABLES.length + 1); // prettier-ignore
    expect(events.filter(({ type }) => type === 'started')).toHaveLength(2);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'ended', reason: 'a table could not be loaded' }),
    );
    expect(await count(THIRD, 'odd')).toBe('0\n');
    expect(marks()).toEqual([]);
  }, 60_000);

  it('are all loaded by the first start, whatever the last one has left', async () => {
    await opened.warehouse.close();
    markTables(store, true);
    expect(existsSync(join(folderOf(FIRST), 'a.sql.detached'))).toBe(true);
    await open();
    expect(marks()).toEqual([]);
    expect(await opened.warehouse.tables()).toHaveLength((DATABASES.length - 1) * TABLES.length + 1); // prettier-ignore
  }, 60_000);
});
