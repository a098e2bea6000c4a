import {
  AUDIT_TABLE,
  ORGANIZATION_PREFIX,
  OUR_DATABASES,
  SHARD_PREFIX,
  type Ddl,
} from '../ddl/ddl.js';
import { quoteText } from '../ddl/identifier.js';
import type { SqlRunner } from './sql-runner.js';

/** Bytes of rows by the database that organizations know. On a cluster the rows are in another database behind it. */
export async function storedBytes(
  runner: SqlRunner,
  ddl: Ddl,
): Promise<ReadonlyMap<string, number>> {
  const kept = await runner.rows<{ name: string; bytes: number }>(
    `SELECT database AS name, toFloat64(sum(bytes_on_disk)) AS bytes FROM ${ddl.parts}
     WHERE active AND ${OUR_DATABASES} AND table != {audit:String} GROUP BY database`,
    { audit: AUDIT_TABLE },
  );
  const bytes = new Map<string, number>();
  for (const { name, bytes: some } of kept) {
    const database = organizationOf(name);
    bytes.set(database, (bytes.get(database) ?? 0) + some);
  }
  return bytes;
}

/** Disks without a size, such as object storage, never get full. */
export async function fullestDisk(
  runner: SqlRunner,
  ddl: Ddl,
): Promise<{ readonly free: number; readonly size: number }> {
  const [fullest] = await runner.rows<{ free: number; size: number }>(
    `SELECT toFloat64(unreserved_space) AS free, toFloat64(total_space) AS size FROM ${disksOf(ddl)}
     WHERE type = 'Local' AND total_space > 0 ORDER BY free / size LIMIT 1`,
  );
  return fullest ?? { free: Infinity, size: Infinity };
}

/** The table that lists the disks of every node. */
const disksOf = ({ cluster }: Ddl): string =>
  cluster === undefined
    ? 'system.disks'
    : `clusterAllReplicas(${quoteText(cluster)}, system.disks)`;

/** Gives the organization for a database of either kind: the reverse of `Ddl.databasesOf`. */
const organizationOf = (database: string): string =>
  database.startsWith(SHARD_PREFIX)
    ? `${ORGANIZATION_PREFIX}${database.slice(SHARD_PREFIX.length)}`
    : database;
