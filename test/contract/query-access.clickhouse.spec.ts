import { randomUUID } from 'node:crypto';
import type { Warehouse } from '@app/warehouse';
import { CLICKHOUSE, openClickHouseUnderTest } from './clickhouse-under-test.js';

/** The engine's error number for a missing right. */
const DENIED = { code: 497 };

// Statements that passed no guard, so only the rights of the organization's role limit them.
describe(`the second wall: ${CLICKHOUSE}`, () => {
  let warehouse: Warehouse;
  let dispose: () => Promise<void>;
  const fresh = (): string => `o_${randomUUID().replaceAll('-', '')}`;
  const [ours, theirs] = [fresh(), fresh()];
  const ask = (sql: string, database?: string): Promise<string> =>
    warehouse.text({ sql, format: 'text', ...(database === undefined ? {} : { database }) });

  beforeAll(async () => {
    ({ warehouse, dispose } = await openClickHouseUnderTest());
    await warehouse.claimAudit();
    await warehouse.wrappedKeys();
    for (const database of [ours, theirs]) {
      await warehouse.createDatabase(database);
      await warehouse.createDatabase(database);
      await warehouse.createTable({ database, table: 'logs' }, [], '01S');
      await warehouse.createAuditTable(database);
    }
  });
  afterAll(() => dispose());

  it('lets an organization read its tables, those made later too', async () => {
    await warehouse.createTable({ database: ours, table: 'later' }, [], '01L');
    for (const table of ['logs', 'later', '_audit'])
      expect(await ask(`SELECT count() FROM ${table}`, ours)).toBe('0\n');
  });

  it.each([
    ['another organization’s table', () => `SELECT * FROM ${theirs}.logs`],
    ['it in a subquery', () => `SELECT 1 WHERE 1 IN (SELECT count() FROM ${theirs}._audit)`],
    ['it in a join', () => `SELECT 1 FROM logs AS a CROSS JOIN ${theirs}.logs AS b`],
    ['keys of people', () => 'SELECT * FROM millrace.person_keys'],
    ['claims of writers', () => 'SELECT * FROM millrace.writer_epochs'],
    ['users', () => 'SELECT * FROM system.users'],
    ['what all have on disk', () => 'SELECT * FROM system.parts'],
  ])('keeps it from %s', async (_what, statement) => {
    await expect(ask(statement(), ours)).rejects.toMatchObject(DENIED);
  });

  it('shows it nothing of others in what a server lets everybody read', async () => {
    const shown = ask(`SELECT count() FROM system.tables WHERE database = '${theirs}'`, ours);
    // A server leaves others out; the double refuses.
    const answer = await shown.catch((error: { code: number }) => error.code);
    expect(['0\n', DENIED.code]).toContain(answer);
  });

  it('keeps a query that names no organization from all of them', async () => {
    await expect(ask(`SELECT * FROM ${ours}.logs`)).rejects.toMatchObject(DENIED);
    expect(await ask('SELECT 1 + 1')).toBe('2\n');
  });

  it.each([
    'DROP TABLE logs',
    'INSERT INTO logs (_timestamp) SELECT now64(6)',
    'GRANT SELECT ON *.* TO millrace_reader',
  ])('lets nobody do more than read: %s', async (statement) => {
    await expect(ask(statement, ours)).rejects.toMatchObject({ name: 'WarehouseError' });
    expect(await ask('SELECT count() FROM logs', ours)).toBe('0\n');
  });

  it('knows nothing of an organization that is deleted, however often, nor its role', async () => {
    const gone = fresh();
    await warehouse.createDatabase(gone);
    await warehouse.createTable({ database: gone, table: 'logs' }, [], '01S');
    expect(await ask('SELECT count() FROM logs', gone)).toBe('0\n');
    await warehouse.dropDatabase(gone);
    await warehouse.dropDatabase(gone);
    await expect(ask('SELECT 1', gone)).rejects.toMatchObject({ name: 'WarehouseError' });
    expect(await ask('SELECT count() FROM logs', ours)).toBe('0\n');
  });

  it('does not know an organization that is not there', async () => {
    await expect(ask('SELECT 1', fresh())).rejects.toMatchObject({ name: 'WarehouseError' });
  });
});
