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
 * What the engine makes of values in lines, where it is not what was written: acceptance must refuse
 * them, or know. An engine that does otherwise is a reason to look at acceptance again.
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
    }));
    await warehouse.createDatabase(TABLE.database);
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function outcome(type: string, values: readonly string[]): Promise<LinesOutcome> {
    await warehouse.dropTable(TABLE);
    await warehouse.createTable(TABLE, [{ name: 'v', type }], '01S');
    const file = join(directory, 'values.ndjson');
    writeFileSync(file, values.map((value, n) => `{"_timestamp":${n},"v":${value}}\n`).join(''));
    const columns = ['_timestamp', 'v'];
    const batches = [{ position: { partition: 0, offset: 1n }, file }];
    try {
      await warehouse.insert({ table: TABLE, streamId: '01S', columns, types: [type], batches });
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

  it('takes many files of a table that is as wide as one can be', () =>
    insertManyWideFiles(warehouse, directory));
});
