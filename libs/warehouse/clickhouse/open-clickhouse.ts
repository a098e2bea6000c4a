import { join } from 'node:path';
import { Ddl } from '../ddl.js';
import { composeWarehouse } from '../sql/compose-warehouse.js';
import { SqlAuditTables } from '../sql/sql-audit-tables.js';
import { SqlPersonKeys } from '../sql/sql-person-keys.js';
import { SqlSchema } from '../sql/sql-schema.js';
import type { ClickHouseAddress, LocalEngine, QueryLimits, Warehouse } from '../warehouse.js';
import { AuditClaim } from './audit-claim.js';
import { ClickHouseConnection } from './clickhouse-connection.js';
import { ClickHouseReader } from './clickhouse-reader.js';
import { ClickHouseWriter } from './clickhouse-writer.js';
import { PartitionClaims } from './partition-claims.js';

export interface ClickHouseOptions {
  readonly address: ClickHouseAddress;
  /** Absolute; for files on their way to the server. */
  readonly directory: string;
  readonly limits: QueryLimits;
  /** Makes the files that are sent. */
  readonly localEngine: LocalEngine;
  /** Called when the warehouse has been closed. */
  readonly closeEngine: () => Promise<void>;
}

/**
 * A ClickHouse server as warehouse.
 * @throws {WarehouseError} when it cannot be reached, or lets nobody of this name in.
 */
export async function openClickHouse({
  address: { urls, cluster },
  directory,
  limits,
  localEngine,
  closeEngine,
}: ClickHouseOptions): Promise<Warehouse> {
  const connection = new ClickHouseConnection(urls, cluster !== undefined);
  try {
    await connection.rows('SELECT 1');
  } catch (error) {
    await connection.close();
    throw error;
  }
  const ddl = new Ddl(cluster);
  const claims = new PartitionClaims(connection, ddl);
  const parts = {
    reader: new ClickHouseReader(connection, limits),
    writer: new ClickHouseWriter(connection, ddl, claims, localEngine, join(directory, 'sending')),
    schema: new SqlSchema(connection, ddl),
    audit: new SqlAuditTables(connection, ddl, new AuditClaim(claims)),
    keys: new SqlPersonKeys(connection, ddl),
  };
  return composeWarehouse(parts, async () => {
    await connection.close();
    await closeEngine();
  });
}
