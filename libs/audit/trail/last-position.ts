import { FencedError, WarehouseError, type AuditTables } from '@app/warehouse';

/**
 * The engine's error numbers for unknown tables and databases: they are about to be created, or
 * were dropped.
 */
const NOT_THERE = new Set([60, 81]);

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
