import { join } from 'node:path';
import { CLICKHOUSE, openClickHouseUnderTest } from './clickhouse-under-test.js';

// The statement is part of a request's address, which servers take up to a mebibyte of.
it(`inserts into the widest table of long names (${CLICKHOUSE})`, async () => {
  const { warehouse, localEngine, directory, dispose } = await openClickHouseUnderTest();
  const COUNT = 1000;
  const columns = Array.from({ length: COUNT }, (_, n) => ({
    name: `${'ж€'.repeat(40)}${n}`,
    type: 'Nullable(Float64)',
  }));
  const table = { database: 'o_wide', table: 'wide' };
  const file = join(directory, 'wide.native.zst');
  const values = columns.map(({ name }, n) => `toNullable(${n} / 2) AS \`${name}\``).join(', ');
  try {
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
  } finally {
    await dispose();
  }
}, 90_000);
