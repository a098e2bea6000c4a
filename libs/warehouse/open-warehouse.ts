import { join } from 'node:path';
import { EngineWhenNeeded } from './engine-when-needed.js';
import { availableMemory } from './available-memory.js';
import type { EngineEvent } from './engine/index.js';
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
  /** What the embedded engine's process may take. */
  readonly memoryBytes?: number | undefined;
  /** Is told of the starts and ends of that process. */
  readonly tell?: (event: EngineEvent) => void;
}

export interface OpenWarehouse {
  /** Closing it closes the engine too. */
  readonly warehouse: Warehouse;
  readonly localEngine: LocalEngine;
}

/** Of what the machine has. */
const MEMORY_SHARE = 0.5;

/**
 * Opens the warehouse that the configuration names: a server, or the engine in a process of its own.
 * Acceptance has its engine in this process either way; without a server not before it is needed.
 * @throws when the directory is in use, or the server cannot be reached.
 */
export async function openWarehouse({
  clickHouse,
  directory,
  limits,
  readers,
  acceptors,
  memoryBytes = Math.floor(availableMemory() * MEMORY_SHARE),
  tell = () => undefined,
}: WarehouseOptions): Promise<OpenWarehouse> {
  const { openEngine } = await import('./engine/index.js');
  const { openClickHouse } = await import('./clickhouse/index.js');
  const localEngine = new EngineWhenNeeded({
    directory: join(directory, 'acceptance'),
    acceptors,
  });
  // With a server nothing else takes the directory for this process alone.
  if (clickHouse !== undefined) await localEngine.run('SELECT 1');
  const closeEngine = (): Promise<void> => localEngine.close();
  const common = { directory, limits, closeEngine };
  try {
    const warehouse =
      clickHouse === undefined
        ? (await openEngine({ ...common, memoryBytes, readers, tell })).warehouse
        : await openClickHouse({ ...common, address: clickHouse, localEngine });
    return { warehouse, localEngine };
  } catch (error) {
    await localEngine.close();
    if (clickHouse === undefined) throw error;
    throw new Error(`CLICKHOUSE_URL: ${(error as Error).message}`, { cause: error });
  }
}
