import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUDIT_COLUMNS } from '../../ddl/ddl.js';
import type { Warehouse } from '../../warehouse.js';
import { DefinitionsAside } from './definitions-aside.js';
import { withoutAside } from './without-aside.js';

const DATABASES = { o_one: '11111111-0000-4000-8000-000000000001', o_two: '22222222-0000-4000-8000-000000000002' }; // prettier-ignore
type Database = keyof typeof DATABASES;
const ROWS = 'aaaaaaaa-0000-4000-8000-00000000000a';
const OTHER_ROWS = 'bbbbbbbb-0000-4000-8000-00000000000b';
const definition = (uuid: string, comment?: string): string =>
  `ATTACH TABLE _ UUID '${uuid}'\n(\n    \`n\` Int64\n)\nENGINE = MergeTree\nORDER BY n\nSETTINGS index_granularity = 8192${comment === undefined ? '' : `\nCOMMENT '${comment}'`}\n`;

describe('definitions that are set aside', () => {
  let directory: string;
  let store: string;
  let aside: DefinitionsAside;

  const shortOf = (uuid: string): string => join('store', uuid.slice(0, 3), uuid);
  const put = (database: Database, table: string, text: string): void =>
    writeFileSync(join(store, shortOf(DATABASES[database]), `${table}.sql`), text);
  const isThere = (uuid: string): boolean => existsSync(join(store, shortOf(uuid), 'part'));
  /** Starts an engine that cannot load the table, as long as it has its definition. */
  const launch = (database: Database, table: string, reason: string): Promise<string> => {
    const file = `${shortOf(DATABASES[database])}/${table}.sql`;
    return aside.launch(
      () =>
        existsSync(join(store, file))
          ? Promise.reject(new Error(`${reason}: Cannot attach table from metadata file ${file} from query ATTACH TABLE`)) // prettier-ignore
          : Promise.resolve('runs'),
      () => Promise.reject(new Error('nothing was to be looked for')),
    );
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-aside-'));
    store = join(directory, 'store');
    mkdirSync(join(store, 'metadata'), { recursive: true });
    for (const [name, uuid] of Object.entries(DATABASES)) {
      mkdirSync(join(store, shortOf(uuid)), { recursive: true });
      symlinkSync(join(store, shortOf(uuid)), join(store, 'metadata', name));
    }
    for (const uuid of [ROWS, OTHER_ROWS]) {
      mkdirSync(join(store, shortOf(uuid)), { recursive: true });
      writeFileSync(join(store, shortOf(uuid), 'part'), 'rows');
    }
    aside = new DefinitionsAside(store, join(directory, 'aside'), () => undefined);
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('take the rows with them when their tables are dropped', async () => {
    put('o_one', 'logs', definition(ROWS, 'S1'));
    await launch('o_one', 'logs', 'Code: 246. Bad version file');
    aside.forget({ database: 'o_one', table: 'logs' }, 'S1');
    expect([isThere(ROWS), aside.all()]).toEqual([false, []]);
  });

  it('take the rows with them before their database is dropped: a crash after that leaves them for good', async () => {
    put('o_one', '_audit', definition(ROWS));
    await launch('o_one', '_audit', 'Code: 246. Bad version file');
    const crashing = { dropDatabase: () => Promise.reject(new Error('killed')) };
    const warehouse = withoutAside(crashing as unknown as Warehouse, aside);
    await expect(warehouse.dropDatabase('o_one')).rejects.toThrow('killed');
    expect([isThere(ROWS), aside.all()]).toEqual([false, []]);
  });

  it('do not take the rows of a later stream of that name', async () => {
    put('o_one', 'logs', definition(ROWS, 'S2'));
    await launch('o_one', 'logs', 'Code: 246. Bad version file');
    aside.forget({ database: 'o_one', table: 'logs' }, 'S1');
    expect([isThere(ROWS), aside.all().length]).toEqual([true, 1]);
  });

  it('do not take the rows of another table, of which one is a copy', async () => {
    put('o_one', 'logs', definition(OTHER_ROWS).slice(0, 90));
    await launch('o_one', 'logs', 'Code: 62. Syntax error');
    put('o_two', 'logs', definition(OTHER_ROWS));
    aside.forget({ database: 'o_one', table: 'logs' });
    expect([isThere(OTHER_ROWS), aside.all()]).toEqual([true, []]);
  });

  it('are none where two tables have one number: the rows would be shown to strangers', async () => {
    put('o_one', '_audit', definition(ROWS));
    put('o_two', '_audit', definition(ROWS));
    const reason = `Code: 49. Mapping for table with UUID=${ROWS} already exists`;
    await expect(launch('o_two', '_audit', reason)).rejects.toThrow('already exists');
    expect(aside.all()).toEqual([]);
  });

  it.each([
    'Code: 76. Cannot open file, errno: 24, strerror: Too many open files',
    'Code: 75. Cannot write, errno: 28, strerror: No space left on device',
    'Code: 241. Memory limit exceeded',
  ])('are none where the machine is at fault: %s', async (reason) => {
    put('o_one', 'logs', definition(ROWS));
    await expect(launch('o_one', 'logs', reason)).rejects.toThrow(reason);
    expect(aside.all()).toEqual([]);
  });

  it('may be folders in the place of a file', async () => {
    mkdirSync(join(store, shortOf(DATABASES.o_one), 'logs.sql'));
    await launch('o_one', 'logs', 'Code: 107. Cannot open file');
    aside.forget({ database: 'o_one', table: 'logs' }, 'S1');
    expect(aside.all()).toEqual([]);
  });

  it('are those of trails, too, that have other columns', async () => {
    const trail = (change: (text: string) => string): string =>
      change(
        `ATTACH TABLE _ UUID '${ROWS}'\n(\n${AUDIT_COLUMNS.map(({ name, type }) => `    \`${name}\` ${type}`).join(',\n')}\n)\nENGINE = MergeTree\nORDER BY position\n`,
      );
    const start = (): Promise<string> =>
      aside.launch(
        () => Promise.resolve('runs'),
        () => Promise.resolve(),
      );
    put(
      'o_one',
      '_audit',
      trail((text) => text),
    );
    await start();
    expect(aside.all()).toEqual([]);
    put(
      'o_one',
      '_audit',
      trail((text) => text.replace('UInt64', 'String')),
    );
    await start();
    expect(aside.all().map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/want position UInt64$/),
    ]);
  });

  it('come back with the next start', async () => {
    put('o_one', 'logs', definition(ROWS));
    await launch('o_one', 'logs', 'Code: 62. Syntax error');
    new DefinitionsAside(store, join(directory, 'aside'), () => undefined).putBack();
    const file = join(store, shortOf(DATABASES.o_one), 'logs.sql');
    expect(readFileSync(file, 'utf8')).toBe(definition(ROWS));
  });
});
