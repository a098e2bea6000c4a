import type { ClickHouseAddress, LocalEngine, QueryLimits, Warehouse } from './warehouse.js';

export interface WarehouseOptions {
  /** Absolute; the engine in this process has it alone. */
  readonly directory: string;
  /** undefined: the tables are in the directory. */
  readonly clickHouse: ClickHouseAddress | undefined;
  readonly limits: QueryLimits;
  /** Client queries that run at once in this process; more wait. */
  readonly readers: number;
  /** Acceptance statements that run at once in this process; more wait. */
  readonly acceptors: number;
}

export interface OpenWarehouse {
  /** Closing it closes the engine too. */
  readonly warehouse: Warehouse;
  readonly localEngine: LocalEngine;
}

/**
 * Opens the warehouse that the configuration names. Acceptance has its engine in this process
 * either way, which locks the directory.
 * @throws when the directory is in use, or the server cannot be reached.
 */
export async function openWarehouse({
  clickHouse,
  directory,
  limits,
  readers,
  acceptors,
}: WarehouseOptions): Promise<OpenWarehouse> {
  const { openChdb, Engine } = await import('./chdb/index.js');
  if (clickHouse === undefined) return openChdb({ directory, limits, readers, acceptors });
  const { openClickHouse } = await import('./clickhouse/index.js');
  const engine = new Engine({ directory, acceptors });
  const { localEngine } = engine;
  const closeEngine = () => engine.close();
  try {
    const warehouse = await openClickHouse({
      address: clickHouse,
      directory,
      limits,
      localEngine,
      closeEngine,
    });
    return { warehouse, localEngine };
  } catch (error) {
    await engine.close();
    throw new Error(`CLICKHOUSE_URL: ${(error as Error).message}`, { cause: error });
  }
}
