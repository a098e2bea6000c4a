import { join } from 'node:path';
import { composeWarehouse } from '../sql/compose-warehouse.js';
import { SqlAuditTables } from '../sql/sql-audit-tables.js';
import { SqlSchema } from '../sql/sql-schema.js';
import type { LocalEngine, QueryLimits, Warehouse } from '../warehouse.js';
import { ClickHouseConnection } from './clickhouse-connection.js';
import { ClickHouseReader } from './clickhouse-reader.js';
import { ClickHouseWriter } from './clickhouse-writer.js';

export interface ClickHouseOptions {
  /** `http(s)://name:password@host:port`; secret. */
  readonly url: string;
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
  url,
  directory,
  limits,
  localEngine,
  closeEngine,
}: ClickHouseOptions): Promise<Warehouse> {
  const connection = new ClickHouseConnection(url);
  try {
    await connection.rows('SELECT 1');
  } catch (error) {
    await connection.close();
    throw error;
  }
  const parts = {
    reader: new ClickHouseReader(connection, limits),
    writer: new ClickHouseWriter(connection, localEngine, join(directory, 'sending')),
    schema: new SqlSchema(connection),
    audit: new SqlAuditTables(connection),
  };
  return composeWarehouse(parts, async () => {
    await connection.close();
    await closeEngine();
  });
}
