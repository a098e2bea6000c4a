import { Session } from 'chdb';
import { Ddl } from '../ddl.js';
import { composeWarehouse } from '../sql/compose-warehouse.js';
import { SqlAuditTables } from '../sql/sql-audit-tables.js';
import { SqlPersonKeys } from '../sql/sql-person-keys.js';
import { SqlSchema } from '../sql/sql-schema.js';
import type { LocalEngine, QueryLimits, Warehouse } from '../warehouse.js';
import { ChdbWriter } from './chdb-writer.js';
import { ClientPool } from './client-pool.js';
import { Engine, type EngineOptions } from './engine.js';
import { openReader } from './open-reader.js';

export interface ChdbOptions extends EngineOptions {
  readonly limits: QueryLimits;
  /** Client queries that run at once; more wait. */
  readonly readers: number;
}

export interface Chdb {
  /** Closing it closes the engine. */
  readonly warehouse: Warehouse;
  readonly localEngine: LocalEngine;
}

/** Inserts and definitions that run at once. */
const INSERTERS = 2;

/** Starts ClickHouse's engine in this process on a data directory, for the tables and for acceptance. */
export function openChdb({ limits, readers, ...options }: ChdbOptions): Chdb {
  const engine = new Engine(options);
  const { path, localEngine } = engine;
  const clients = ClientPool.on(path, INSERTERS);
  const control = new Session(path);
  const reader = openReader(engine, control, { directory: options.directory, limits, readers });
  const ddl = new Ddl(undefined);
  const parts = {
    reader,
    writer: new ChdbWriter(clients, ddl),
    schema: new SqlSchema(clients, ddl),
    audit: new SqlAuditTables(clients, ddl),
    keys: new SqlPersonKeys(clients, ddl),
  };
  const close = async (): Promise<void> => {
    await reader.close();
    await engine.close(async () => {
      control.close();
      await clients.close();
    });
  };
  return { warehouse: composeWarehouse(parts, close), localEngine };
}
