import { join } from 'node:path';
import { Ddl } from '../ddl/ddl.js';
import { composeWarehouse } from '../sql/compose-warehouse.js';
import { requestSettings } from '../sql/read-settings.js';
import { SqlAuditTables } from '../sql/sql-audit-tables.js';
import { SqlPersonKeys } from '../sql/sql-person-keys.js';
import { SqlTableBackups } from '../sql/sql-table-backups.js';
import { SqlTableHealth } from '../sql/sql-table-health.js';
import { SqlSchema } from '../sql/sql-schema.js';
import type { LocalEngine, QueryLimits, Warehouse } from '../warehouse.js';
import { AuditClaim } from '../client/audit-claim.js';
import { SentBatches } from '../client/batch-source.js';
import { ClickHouseConnection } from '../client/clickhouse-connection.js';
import { ClickHouseNode } from '../client/clickhouse-node.js';
import { ClickHouseReader } from '../client/clickhouse-reader.js';
import { ClickHouseWriter } from '../client/clickhouse-writer.js';
import { PartitionClaims } from '../client/partition-claims.js';
import { QueryAccess, readerPassword, readerUrls } from './query-access.js';

/** The address of a ClickHouse server, or of the nodes of a cluster. */
export interface ClickHouseAddress {
  /** `http(s)://name:password@host:port` each; secret. */
  readonly urls: readonly string[];
  /** The cluster's name in the servers' configuration; undefined: it is one server. */
  readonly cluster: string | undefined;
}

interface ClickHouseOptions {
  readonly address: ClickHouseAddress;
  /** An absolute path of the folder for files that are sent to the server. */
  readonly directory: string;
  readonly limits: QueryLimits;
  /** The engine that makes the files for the server. */
  readonly localEngine: LocalEngine;
  /** Called when the warehouse has been closed. */
  readonly closeEngine: () => Promise<void>;
}

/**
 * A ClickHouse server as the warehouse.
 * @throws {WarehouseError} if it cannot be reached, refuses the credentials, or does not let this
 *   user manage rights.
 */
export async function openClickHouse({
  address: { urls, cluster },
  directory,
  limits,
  localEngine,
  closeEngine,
}: ClickHouseOptions): Promise<Warehouse> {
  const connect = (to: readonly string[]): ClickHouseConnection =>
    new ClickHouseConnection(
      to.map((url) => new ClickHouseNode(url)),
      cluster !== undefined,
    );
  const connection = connect(urls);
  const ddl = new Ddl(cluster);
  const access = new QueryAccess(connection, ddl, limits);
  const password = readerPassword(urls);
  try {
    await connection.rows('SELECT 1');
    await access.createReader(password);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const asking = connect(readerUrls(urls, password));
  // Changes of tables last, and must not take the connections of inserts.
  const changing = connect(urls);
  const claims = new PartitionClaims(connection, ddl);
  const components = {
    reader: new ClickHouseReader({
      connection: asking,
      limits,
      settings: requestSettings(limits),
      // The role of an organization has the name of its database.
      rights: (role) => (role === undefined ? {} : { role }),
      control: connection,
    }),
    writer: new ClickHouseWriter(
      connection,
      ddl,
      claims,
      new SentBatches(localEngine, join(directory, 'sending')),
    ),
    schema: new SqlSchema(changing, ddl, access),
    audit: new SqlAuditTables(connection, ddl, new AuditClaim(claims)),
    keys: new SqlPersonKeys(connection, ddl),
    health: new SqlTableHealth(connection, ddl),
    backups: new SqlTableBackups(connection, ddl),
  };
  return composeWarehouse(components, async () => {
    await asking.close();
    await changing.close();
    await connection.close();
    await closeEngine();
  });
}
