import { mkdtempSync, rmSync } from 'node:fs';
import { freemem, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type EdgeConfig,
  type Follower,
  Holding,
  KeyValueStores,
  Registrations,
  Reloader,
  TableRegistry,
  type Workshop,
  readSourceCredentials,
} from '@app/edge';
import { type Logger } from '@app/platform';
import { openSourceEngine, type QueryLimits, type SourceEngine } from '@app/warehouse';
import { startFollowing } from './start-following.js';

/** Everything the modules are built on, opened. */
export interface Components {
  readonly config: EdgeConfig;
  readonly logger: Logger;
  readonly engine: SourceEngine;
  readonly tables: TableRegistry;
  readonly stores: KeyValueStores;
  readonly registrations: Registrations;
  /** Undefined means that no hosted organization is followed. */
  readonly follower: Follower | undefined;
  close(): Promise<void>;
}

/** Client queries that run at once. */
const READERS = 8;
/** Tables that are made at once. */
const DEFINERS = 4;
const QUERY_SECONDS = 600;
/**
 * The share of the machine's memory that the engine may take. The rest is for copies, caches and
 * other programs.
 */
const MEMORY_SHARE = 0.6;
const WITHOUT_LIMIT = 0;
/** The engine may still write while it is being removed. */
const REMOVED = { recursive: true, force: true, maxRetries: 20, retryDelay: 5 } as const;

const limits = (): QueryLimits => ({
  timeoutSeconds: QUERY_SECONDS,
  memoryBytes: Math.floor(Math.max(totalmem() * MEMORY_SHARE, freemem())),
  readRows: WITHOUT_LIMIT,
  readBytes: WITHOUT_LIMIT,
  resultRows: WITHOUT_LIMIT,
  resultBytes: WITHOUT_LIMIT,
});

/** Starts the engine and loads the tables. @throws {Error} that names the table that cannot be loaded */
export async function openComponents(config: EdgeConfig, logger: Logger): Promise<Components> {
  const base = process.cwd();
  const directory = mkdtempSync(join(tmpdir(), 'millrace-edge-'));
  // The folder is also removed when a start fails or is interrupted.
  const remove = (): void => rmSync(directory, REMOVED);
  process.once('exit', remove);
  // The engine reads some tables only below the working directory.
  process.chdir('/');
  const engine = await openSourceEngine({
    directory,
    limits: limits(),
    readers: READERS,
    definers: DEFINERS,
  });
  const credentials = readSourceCredentials();
  const workshop: Workshop = {
    engine,
    credentials,
    base,
    directory,
    stdin: process.stdin,
    holding: new Holding(),
    told: (name, error) =>
      logger.warn({ err: error }, `table ${name} cannot be copied and is read where it lies`),
    // The start says on the same stream where each table is.
    toldOfMemory: (sentence) => console.log(sentence),
    toldOfNulls: (name, error) =>
      logger.warn(
        { err: error },
        `structs of table ${name} that are null are read as structs whose fields are null`,
      ),
    toldOfShort: (name, { file, line, count }) =>
      logger.warn(
        `table ${name}: ${file} has ${count} ${count === 1 ? 'line' : 'lines'} with fewer fields than its first one (line ${line}), which are null there`,
      ),
  };
  const tables = new TableRegistry(workshop, logger);
  const stores = new KeyValueStores(workshop, logger);
  const { readOnly, stateFile } = config;
  const registrations = new Registrations(tables, {
    readOnly,
    base,
    stateFile: stateFile === undefined ? undefined : resolve(base, stateFile),
  });
  const reloader = new Reloader(tables, config.reloadSeconds, logger);
  let follower: Follower | undefined;
  const close = async (): Promise<void> => {
    reloader.stop();
    tables.memory.close();
    stores.close();
    await follower?.close();
    await engine.close();
    remove();
  };
  try {
    await registrations.open(config.tables);
    await stores.open(config.stores, config.reloadSeconds);
    follower = await startFollowing({ config, base, directory, engine, tables, logger });
  } catch (error) {
    await close();
    throw error;
  }
  reloader.start();
  return { config, logger, engine, tables, stores, registrations, follower, close };
}
