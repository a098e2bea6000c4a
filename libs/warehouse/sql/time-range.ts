import { qualified } from '../ddl.js';
import { WarehouseError } from '../warehouse-errors.js';
import type { TableName } from '../warehouse.js';
import type { SqlRunner } from './sql-runner.js';

/** The engine's numbers of unknown tables, and of those being dropped. */
const GONE = new Set([60, 218]);

/** @returns undefined when the table was dropped meanwhile. */
export async function timeRange(
  runner: SqlRunner,
  table: TableName,
  rows: number,
): Promise<readonly [number, number] | undefined> {
  if (rows === 0) return [0, 0];
  const ranges = runner.rows<{ low: number; high: number }>(
    `SELECT toFloat64(toUnixTimestamp64Micro(min(_timestamp))) AS low, toFloat64(toUnixTimestamp64Micro(max(_timestamp))) AS high FROM ${qualified(table)}`,
  );
  const found = await ranges.catch((error: unknown) => {
    if (error instanceof WarehouseError && GONE.has(error.code)) return undefined;
    throw error;
  });
  return found && [found[0]?.low ?? 0, found[0]?.high ?? 0];
}
