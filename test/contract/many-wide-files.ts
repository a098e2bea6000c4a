import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Warehouse } from '@app/warehouse';
import { rounds } from '../rounds.js';

const TABLE = { database: 'o_wide', table: 'many_wide_files' };
const STREAM_ID = '01W';
/** With so many files the names alone are more than an engine takes in a statement by default. */
const FILES = rounds(8, 30);

/** An insert of many files into a table that is as wide as one can be: each tells every name. */
export async function insertManyWideFiles(warehouse: Warehouse, directory: string): Promise<void> {
  const names = Array.from({ length: 2000 }, (_, n) => `a_column_of_a_wide_table_${n}`);
  const columns = names.map((name) => ({ name, type: 'Nullable(Int64)' }));
  await warehouse.createDatabase(TABLE.database);
  await warehouse.dropTable(TABLE);
  await warehouse.createTable(TABLE, columns, STREAM_ID);
  const batches = Array.from({ length: FILES }, (_, n) => {
    const file = join(directory, `wide${n}.ndjson`);
    writeFileSync(file, `{"_timestamp":1767225600123456,"${names[n] ?? ''}":${n}}\n`);
    return { position: { partition: 3, offset: BigInt(41 + n) }, file };
  });
  await warehouse.insert({
    table: TABLE,
    streamId: STREAM_ID,
    columns: ['_timestamp', ...names],
    types: columns.map(({ type }) => type),
    batches,
  });
  const { database, table } = TABLE;
  const sql = `SELECT count(), uniqExact(_offset), sum(${names[7] ?? ''}) FROM ${table}`;
  expect(await warehouse.text({ sql, database, format: 'text' })).toBe(`${FILES}\t${FILES}\t7\n`);
  await warehouse.dropTable(TABLE);
}
