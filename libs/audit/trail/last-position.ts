import { WarehouseError, type AuditTables } from '@app/warehouse';

/** The engine's numbers of unknown tables and databases: they are about to be made, or were dropped. */
const NOT_THERE = new Set([60, 81]);

/** @returns the position of a trail's last entry, -1 before the first; undefined where the trail has no table */
export async function lastPositionOf(
  tables: AuditTables,
  database: string,
): Promise<bigint | undefined> {
  try {
    const last = await tables.lastAudit(database);
    return last ? BigInt(last.position) : -1n;
  } catch (error) {
    if (error instanceof WarehouseError && NOT_THERE.has(error.code)) return undefined;
    throw error;
  }
}
