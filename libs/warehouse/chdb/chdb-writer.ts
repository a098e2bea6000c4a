import {
  insertRows,
  ONE_PART_SETTINGS,
  readStoredOffsets,
  selectBatches,
} from '../sql/batch-statements.js';
import type { SqlRunner } from '../sql/sql-runner.js';
import type { BatchInsert, TableName, WarehouseWriter } from '../warehouse.js';

const SETTINGS = Object.entries(ONE_PART_SETTINGS)
  .map(([name, value]) => `${name} = ${value}`)
  .join(', ');

/** Inserts columnar files as parts whose rows carry their queue position. */
export class ChdbWriter implements WarehouseWriter {
  constructor(private readonly runner: SqlRunner) {}

  insert({ batches, ...insert }: BatchInsert): Promise<void> {
    const rows = `(${selectBatches(insert.columns, batches)})`;
    return this.runner.command(`${insertRows(insert, rows)} SETTINGS ${SETTINGS}`);
  }

  storedOffsets(table: TableName, partition: number, from: bigint): Promise<Set<bigint>> {
    return readStoredOffsets(this.runner, table, partition, from);
  }
}
