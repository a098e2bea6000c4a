import type { TableName, WarehouseSchema } from '@app/warehouse';

export interface MissingTablesLog {
  warn(details: object, message: string): void;
}

/** The log names at most so many of them. */
const TOLD_MAX = 20;

export const nameOf = ({ database, table }: TableName): string => `${database}.${table}`;

/**
 * Reports tables that a start has to create again. It asks the warehouse once more, since another
 * process may have created some meanwhile.
 * @param names `<database>.<table>` each
 */
export async function tellMissingTables(
  names: readonly string[],
  schema: WarehouseSchema,
  log: MissingTablesLog,
): Promise<void> {
  if (names.length === 0) return;
  const there = new Set((await schema.tables()).map(nameOf));
  const missing = names.filter((name) => !there.has(name));
  if (missing.length === 0) return;
  log.warn(
    { count: missing.length, tables: missing.slice(0, TOLD_MAX) },
    'tables of streams are not there, and are made, empty: after a crash a new stream may have none yet; otherwise the warehouse is older than the events, and rows are lost (docs/operations.md, "Stores of different age")',
  );
}
