import { join } from 'node:path';
import { OperatorError } from '@app/platform';
import { availableMemory, ENGINE_MIN_BYTES } from './memory/available-memory.js';
import type { EngineEvent } from './child/engine-event.js';
import type { EngineBackups } from './engine/index.js';
import type { ClickHouseAddress } from './clickhouse/open-clickhouse.js';
import type { LocalEngine, QueryLimits, Warehouse } from './warehouse.js';

interface WarehouseOptions {
  /** An absolute path; only this process and its engines use it. */
  readonly directory: string;
  /** Undefined means that the tables are in the directory. */
  readonly clickHouse: ClickHouseAddress | undefined;
  readonly limits: QueryLimits;
  /** Client queries that run at once in this process; more wait. */
  readonly readers: number;
  /** Acceptance statements that run at once; more wait. */
  readonly acceptors: number;
  /**
   * Folders of uploads, which the local engine reads and writes. They must not be removed, or
   * created again.
   */
  readonly files: readonly string[];
  /** The memory limit for the process of the embedded engine with the tables. */
  readonly memoryBytes?: number | undefined;
  /** The place where the embedded engine makes or reads backups; it must exist. */
  readonly backups?: EngineBackups | undefined;
  /** Is called when processes of the engines start and end. */
  readonly tell?: (event: EngineEvent) => void;
}

export interface OpenWarehouse {
  /** Closing it closes the engine too. */
  readonly warehouse: Warehouse;
  readonly localEngine: LocalEngine;
}

/** The share of the machine's memory that the engine may take. */
const MEMORY_SHARE = 0.5;

/**
 * Opens the warehouse that the configuration names: a server, or the engine in a process of its
 * own. In both cases acceptance has a local engine in a process of its own, which runs while it is
 * needed, and always if there is a server.
 * @throws when the directory is in use, or the server cannot be reached.
 */
export async function openWarehouse({
  clickHouse,
  directory,
  limits,
  readers,
  acceptors,
  files,
  memoryBytes = Math.max(ENGINE_MIN_BYTES, Math.floor(availableMemory() * MEMORY_SHARE)),
  backups,
  tell = () => undefined,
}: WarehouseOptions): Promise<OpenWarehouse> {
  const { openEngine } = await import('./engine/index.js');
  const { openClickHouse } = await import('./clickhouse/index.js');
  const { LocalEngineProcess } = await import('./local-engine/index.js');
  const localEngine = new LocalEngineProcess({
    directory: join(directory, 'acceptance'),
    acceptors,
    files: [...files, join(directory, 'sending')],
    tell,
    stays: clickHouse !== undefined,
  });
  // The local engine claims the directory for this process. Without a server, the engine does so.
  if (clickHouse !== undefined) await localEngine.run('SELECT 1');
  const closeEngine = (): Promise<void> => localEngine.close();
  const common = { directory, limits, closeEngine };
  try {
    const warehouse =
      clickHouse === undefined
        ? (await openEngine({ ...common, memoryBytes, readers, backups, tell })).warehouse
        : await openClickHouse({ ...common, address: clickHouse, localEngine });
    return { warehouse, localEngine };
  } catch (error) {
    await localEngine.close();
    if (clickHouse === undefined) throw error;
    throw new OperatorError(`CLICKHOUSE_URL: ${(error as Error).message}`, { cause: error });
  }
}
