import { FencedError, TableAsideError, WarehouseError, type AuditTables } from '@app/warehouse';

/**
 * The engine's error numbers for unknown tables and databases: they are about to be created, or
 * were dropped.
 */
const NOT_THERE = new Set([60, 81]);

/**
 * The engine's error numbers for a table that is not the one that was made: it lacks a column, or has
 * another type. The last two say that a server could not load it.
 */
const OF_DEFINITION = new Set([8, 10, 16, 47, 53, 695, 722]);

/** Tells whether a trail's table is there, and is of no use because of its definition. */
export const isBroken = (error: unknown): boolean =>
  error instanceof TableAsideError ||
  (error instanceof WarehouseError && OF_DEFINITION.has(error.code));

/** @returns the position of a trail's last entry, -1 before the first; it fails where the trail has no table */
export async function writtenPosition(
  tables: Pick<AuditTables, 'lastAudit'>,
  database: string,
): Promise<bigint> {
  const last = await tables.lastAudit(database);
  return last ? BigInt(last.position) : -1n;
}

/** @returns the same; undefined where the trail has no table */
export async function lastPositionOf(
  tables: Pick<AuditTables, 'lastAudit'>,
  database: string,
): Promise<bigint | undefined> {
  try {
    return await writtenPosition(tables, database);
  } catch (error) {
    if (error instanceof WarehouseError && NOT_THERE.has(error.code)) return undefined;
    throw error;
  }
}

/**
 * Looks for the same during a replay. A write beside it may have lost its answer, and another
 * process claimed meanwhile.
 * @param confirm tells whether this process leads, and goes on
 * @returns -1 where the trail has no table, too
 */
export async function foundPosition(
  tables: Pick<AuditTables, 'lastAudit'>,
  database: string,
  confirm: () => Promise<unknown>,
): Promise<bigint> {
  try {
    return (await lastPositionOf(tables, database)) ?? -1n;
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
    await confirm();
    return (await lastPositionOf(tables, database)) ?? -1n;
  }
}
