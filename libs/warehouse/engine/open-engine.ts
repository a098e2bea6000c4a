import { AuditClaim } from '../client/audit-claim.js';
import { HandedBatches } from '../client/batch-source.js';
import { ClickHouseConnection } from '../client/clickhouse-connection.js';
import { ClickHouseReader, type Rights } from '../client/clickhouse-reader.js';
import { ClickHouseWriter } from '../client/clickhouse-writer.js';
import { PartitionClaims } from '../client/partition-claims.js';
import { QueryWatch } from '../client/query-watch.js';
import { Ddl } from '../ddl/ddl.js';
import { composeWarehouse } from '../sql/compose-warehouse.js';
import { SqlAuditTables } from '../sql/sql-audit-tables.js';
import { SqlPersonKeys } from '../sql/sql-person-keys.js';
import { SqlSchema } from '../sql/sql-schema.js';
import { SqlTableBackups } from '../sql/sql-table-backups.js';
import { SqlTableHealth } from '../sql/sql-table-health.js';
import type { Warehouse } from '../warehouse.js';
import { withoutAside } from './definitions/without-aside.js';
import { EngineNode } from './engine-node.js';
import { EngineProcess, type EngineOptions } from './engine-process.js';

interface EngineWarehouseOptions extends EngineOptions {
  /** Client queries that run at once; more wait. */
  readonly readers: number;
  /** Called when the warehouse has been closed. */
  readonly closeEngine: () => Promise<void>;
}

export interface EngineWarehouse {
  /** Closing it ends the engine. */
  readonly warehouse: Warehouse;
  readonly engine: EngineProcess;
}

/** Starts ClickHouse's own server as a process of its own. @throws when another process has the directory. */
export async function openEngine({
  readers,
  closeEngine,
  ...options
}: EngineWarehouseOptions): Promise<EngineWarehouse> {
  const engine = await EngineProcess.start(options);
  const { users } = engine;
  const { limits } = options;
  const connection = new ClickHouseConnection([new EngineNode(engine, users.admin)], false);
  // Changes of tables last, and must not take the connections of inserts.
  const changing = new ClickHouseConnection([new EngineNode(engine, users.admin)], false);
  const asking = new ClickHouseConnection([new EngineNode(engine, users.asker)], false);
  const ddl = new Ddl(undefined);
  const claims = new PartitionClaims(connection, ddl);
  const force = async (id: string): Promise<void> => {
    const { generation } = await engine.ready(0);
    await engine.restart(generation, `query ${id} could not be ended`);
  };
  const components = {
    reader: new ClickHouseReader({
      connection: asking,
      limits,
      // The profile of its users has the other settings. With this one there, the engine would
      // refuse settings of single queries.
      settings: { readonly: '1' },
      rights: (database) => rightsOf(engine, database),
      control: connection,
      readers,
      watch: new QueryWatch(connection, { force }, limits.timeoutSeconds * 1000),
    }),
    writer: new ClickHouseWriter(connection, ddl, claims, new HandedBatches(engine.handed)),
    schema: new SqlSchema(changing, ddl, {
      newDatabase: () => users.takeName(),
      dropRole: (database) => users.forget(database),
    }),
    audit: new SqlAuditTables(connection, ddl, new AuditClaim(claims)),
    keys: new SqlPersonKeys(connection, ddl),
    health: new SqlTableHealth(connection, ddl, () => engine.aside.all()),
    backups: new SqlTableBackups(connection, ddl),
  };
  const close = async (): Promise<void> => {
    await asking.close();
    await changing.close();
    await connection.close();
    await engine.close();
    await closeEngine();
  };
  return { warehouse: withoutAside(composeWarehouse(components, close), engine.aside), engine };
}

/** Gives a database without a user one, because the engine knows only the users from its start. */
async function rightsOf(engine: EngineProcess, database: string | undefined): Promise<Rights> {
  if (database === undefined) return {};
  const known = engine.users.reader(database);
  if (known) return { auth: known };
  await engine.renew();
  const auth = engine.users.reader(database);
  return auth ? { auth } : {};
}
