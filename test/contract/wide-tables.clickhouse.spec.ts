import { join } from 'node:path';
import {
  CLICKHOUSE,
  openClickHouseUnderTest,
  type ClickHouseUnderTest,
} from './clickhouse-under-test.js';
import { insertManyWideFiles } from './many-wide-files.js';

describe(`wide tables (${CLICKHOUSE})`, () => {
  let under: ClickHouseUnderTest;
  beforeAll(async () => {
    under = await openClickHouseUnderTest();
  });
  afterAll(() => under.dispose());

  // The statement is part of a request's address, which servers take up to a mebibyte of.
  it('take an insert of the longest names', async () => {
    const { warehouse, localEngine, directory } = under;
    const COUNT = 1000;
    const columns = Array.from({ length: COUNT }, (_, n) => ({
      name: `${'ж€'.repeat(40)}${n}`,
      type: 'Nullable(Float64)',
    }));
    const table = { database: 'o_wide', table: 'wide' };
    const file = join(directory, 'wide.native.zst');
    const values = columns.map(({ name }, n) => `toNullable(${n} / 2) AS \`${name}\``).join(', ');
    await warehouse.createDatabase(table.database);
    await warehouse.dropTable(table);
    await warehouse.createTable(table, columns, '01S');
    await localEngine.run(
      `INSERT INTO FUNCTION file('${file}', Native) SELECT now64(6, 'UTC') AS _timestamp, ${values}`,
    );
    await warehouse.insert({
      table,
      streamId: '01S',
      columns: ['_timestamp', ...columns.map(({ name }) => name)],
      batches: [{ position: { partition: 0, offset: 1n }, file }],
    });
    expect(
      await warehouse.text({ sql: 'SELECT count() FROM wide', database: 'o_wide', format: 'text' }),
    ).toBe('1\n');
  });

  // The statement is the same for either adapter, and so are its settings: `lines-outcomes` has all files.
  it('take many files', () => insertManyWideFiles(under.warehouse, under.directory));
});
