import { certain } from '@app/platform';
import { qualified } from '../ddl/ddl.js';
import { WarehouseError } from '../warehouse-errors.js';
import type { TableName } from '../warehouse.js';
import type { SqlRunner } from './sql-runner.js';

/** The engine's error numbers for unknown tables, and for tables that are being dropped. */
const GONE = new Set([60, 218]);
/**
 * The number of tables in one statement, because a statement usually costs more than its tables.
 */
const AT_ONCE = 32;

/** The smallest and largest `_timestamp`, in microseconds since 1970. */
type TimeRange = readonly [number, number];

/** @returns no entry for tables that were dropped meanwhile. */
export async function timeRanges(
  runner: SqlRunner,
  database: string,
  tables: readonly string[],
): Promise<ReadonlyMap<string, TimeRange>> {
  const groups = Array.from({ length: Math.ceil(tables.length / AT_ONCE) }, (_, group) =>
    tables.slice(group * AT_ONCE, (group + 1) * AT_ONCE),
  );
  const ranges = await Promise.all(
    groups.map(async (group) => {
      const together = await rangesOf(runner, database, group);
      if (together) return together;
      // A table that was dropped meanwhile makes the statement fail for all.
      const alone = group.map((table) => rangesOf(runner, database, [table]));
      return (await Promise.all(alone)).flatMap((each) => each ?? []);
    }),
  );
  return new Map(ranges.flat());
}

async function rangesOf(
  runner: SqlRunner,
  database: string,
  tables: readonly string[],
): Promise<readonly (readonly [string, TimeRange])[] | undefined> {
  const statement = tables
    .map(
      (table, index) =>
        `SELECT ${index} AS place, toFloat64(toUnixTimestamp64Micro(min(_timestamp))) AS low, toFloat64(toUnixTimestamp64Micro(max(_timestamp))) AS high FROM ${qualified({ database, table } satisfies TableName)}`,
    )
    .join(' UNION ALL ');
  try {
    const found = await runner.rows<{ place: number; low: number; high: number }>(statement);
    return found.map(({ place, low, high }) => [certain(tables[place], 'table'), [low, high]]);
  } catch (error) {
    if (error instanceof WarehouseError && GONE.has(error.code)) return undefined;
    throw error;
  }
}
