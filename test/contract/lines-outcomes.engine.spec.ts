import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openWarehouse, WarehouseError, type Warehouse } from '@app/warehouse';
import { LINES_OUTCOMES, type LinesOutcome } from '../fixtures/lines-outcomes.js';
import { insertManyWideFiles } from './many-wide-files.js';

const TABLE = { database: 'o_outcomes', table: 't' };
const limits = { timeoutSeconds: 10, memoryBytes: 1 << 30, readRows: 1e9, readBytes: 1e12, resultRows: 1e6, resultBytes: 1 << 30 }; // prettier-ignore

/**
 * The engine changes these values when it reads them from lines, so acceptance must refuse them or
 * know them. If an engine does otherwise, look at acceptance again.
 */
describe('values that the engine does not keep as they are', () => {
  let directory: string;
  let warehouse: Warehouse;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-outcomes-'));
    ({ warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits,
      readers: 1,
      acceptors: 1,
      files: [directory],
    }));
    await warehouse.createDatabase(TABLE.database);
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** @param beside types of other columns of the table */
  async function outcome(
    type: string,
    values: readonly string[],
    beside: readonly string[] = [],
  ): Promise<LinesOutcome> {
    await warehouse.dropTable(TABLE);
    const others = beside.map((each, index) => ({ name: `o${index}`, type: each }));
    await warehouse.createTable(TABLE, [{ name: 'v', type }, ...others], '01S');
    const file = join(directory, 'values.ndjson');
    writeFileSync(file, values.map((value, n) => `{"_timestamp":${n},"v":${value}}\n`).join(''));
    const columns = ['_timestamp', 'v', ...others.map(({ name }) => name)];
    const batches = [{ position: { partition: 0, offset: 1n }, file }];
    try {
      await warehouse.insert({ table: TABLE, streamId: '01S', columns, types: [type, ...beside], batches }); // prettier-ignore
    } catch (error) {
      return error instanceof WarehouseError ? error.code : 'unreadable';
    }
    try {
      const sql = 'SELECT v FROM t ORDER BY _row';
      const rows = await text(await warehouse.stream({ sql, database: TABLE.database, format: 'ndjson' })); // prettier-ignore
      return rows.trimEnd().split('\n').at(-1)?.slice('{"v":'.length, -1) ?? '';
    } catch {
      return 'unreadable';
    }
  }

  it.each(LINES_OUTCOMES)('%s: %s', async (type, value, expected) => {
    expect(await outcome(type, value.split(' then '))).toBe(expected);
  });

  it.each([
    ['Array(Dynamic)', '[1,"b",null]', '[1,"b",null]'],
    ['Array(Nullable(Decimal(9, 2)))', '[1.25,null,"3.5"]', '[1.25,null,3.50]'],
    ['Array(Nullable(Int64))', '[1,null]', '[1,null]'],
    ['Array(Nullable(Float64))', 'null', '[]'],
  ])('%s: %s, kept beside a column of objects', async (type, value, expected) => {
    expect(await outcome(type, [value], ['Nullable(JSON)'])).toBe(expected);
  });

  it.each(LINES_OUTCOMES.filter(([type]) => type.startsWith('Array(') && !type.includes('JSON')))(
    '%s: %s, the same or refused beside a column of objects',
    async (type, value) => {
      const values = value.split(' then ');
      const beside = await outcome(type, values, ['Nullable(JSON)']);
      if (typeof beside === 'string') expect(beside).toBe(await outcome(type, values));
    },
  );

  it('takes many files of a table that is as wide as one can be', () =>
    insertManyWideFiles(warehouse, directory));
});
