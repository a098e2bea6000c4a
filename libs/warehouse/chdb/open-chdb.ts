import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { Session } from 'chdb';
import { createChdbConnection } from 'chdb/connection';
import { Ddl } from '../ddl.js';
import { composeWarehouse } from '../sql/compose-warehouse.js';
import { readSettings } from '../sql/read-settings.js';
import { SqlAuditTables } from '../sql/sql-audit-tables.js';
import { SqlPersonKeys } from '../sql/sql-person-keys.js';
import { SqlSchema } from '../sql/sql-schema.js';
import type { LocalEngine, QueryLimits, Warehouse } from '../warehouse.js';
import { ChdbReader } from './chdb-reader.js';
import { ChdbWriter } from './chdb-writer.js';
import { ClientPool } from './client-pool.js';
import { Engine, type EngineOptions } from './engine.js';
import { Pool } from './pool.js';
import { ReadingThread } from './reading-thread.js';
import { RunningQueries } from './running-queries.js';

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

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

/** Inserts and definitions that run at once. */
const INSERTERS = 2;

/** Starts ClickHouse's engine in this process on a data directory, for the tables and for acceptance. */
export function openChdb({ limits, readers, ...options }: ChdbOptions): Chdb {
  const engine = new Engine(options);
  const { path, localEngine } = engine;
  const clients = new ClientPool(
    new Pool(() => createClient({ connection: embeddedConnection(path) }), INSERTERS),
  );
  const args = readOnly(limits);
  const results = join(options.directory, 'results');
  emptyDirectory(results);
  const control = new Session(path);
  const reader = new ChdbReader({
    sessions: engine.sessions([...args, '--output_format_json_array_of_rows=1'], readers),
    threads: new Pool(() => new ReadingThread(path), readers),
    running: new RunningQueries(control),
    args,
    directory: results,
    timeoutSeconds: limits.timeoutSeconds,
  });
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

/** chdb types its connection by its own copy of the client's declarations; the shapes are the same. */
function embeddedConnection(path: string): ClientConnection {
  return createChdbConnection({ path }) as unknown as ClientConnection;
}

function readOnly(limits: QueryLimits): readonly string[] {
  return Object.entries(readSettings(limits)).map(([name, value]) => `--${name}=${value}`);
}

/** What a crash left there belongs to nobody. */
function emptyDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
}
