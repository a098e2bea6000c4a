import { existsSync, mkdirSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '@app/platform';
import type { CopiedEvents } from '@app/event-store';
import type { HoldableQueue, QueueHold } from '@app/ingest-queue';
import { nodeId, syncPath, writeDurably } from '@app/files';
import type { Logger } from '@app/platform';
import { NETWORK_ERROR, WarehouseError, type TableBackups, type TableHealth } from '@app/warehouse';
import { backupName, isBackupName } from './backup-name.js';
import { copyFile, copyFolder, describeFiles, emptyFolder, syncAll } from './kept-files.js';
import { FILES, MANIFEST, newManifest, readManifest, TABLES } from './manifest.js';

/** The stores of a running server that are copied. */
interface RunningServer {
  readonly dataDirectory: string;
  readonly version: string;
  readonly tables: TableBackups & Pick<TableHealth, 'asideTables'>;
  readonly queue: HoldableQueue;
  readonly events: CopiedEvents;
  lastPosition(): Promise<bigint | undefined>;
}

export interface BackupWish {
  /** Undefined means that the time becomes the name. */
  readonly name?: string | undefined;
  /** The name of an earlier backup, which was itself made without a base. */
  readonly base?: string | undefined;
}

export interface BackupStep {
  /** `written`: the batches in the queue are being written to tables. */
  readonly step: 'written' | 'tables' | 'queue' | 'events' | 'check';
  readonly bytes?: number;
}

export interface Working {
  readonly signal: AbortSignal;
  readonly tell: (step: BackupStep) => void;
}

/**
 * An engine may write only below this folder of the backups, so it cannot change a backup that is
 * complete.
 */
const MAKING = 'making';
const BASE = 'base';
/** The engine is restarted when many organizations are new. */
const TRIES = 3;
/** A folder of the data directory. */
const KEYS = 'person-keys';
const DEAD_LETTER = 'dead-letter';
const ADDRESSES = 'known-addresses';

/**
 * The engine writes its files here, below the folder of backups. While the engine runs, the folder
 * must not be created again. Servers may share the folder of backups, so each has a folder of its
 * own here, which it empties.
 */
export function makingFolder(backups: string, dataDirectory: string): string {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const folder = join(backups, MAKING, nodeId(dataDirectory));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * A backup of a server that goes on: hold the queue → tables → queue → events → keys → manifest.
 *
 * The order makes it one moment, that of the queue's copy. What was acknowledged before is in the
 * tables or in the queue, for the queue forgets nothing from before the tables are copied; what is
 * in both, the tables refuse by its position when it is written again, since no position that a
 * table has is new to the queue. Events come after both: they know every table and every stream,
 * and a start carries out what tables do not have yet. Keys come before the events and once more
 * after them, so that nobody in the events is without a key.
 */
export class BackUpPipeline {
  private isWorking = false;

  /** Deletes an unfinished backup that a crash left, and opens the pipeline. @param backups absolute */
  static async open(
    server: RunningServer,
    backups: string,
    logger: Logger,
  ): Promise<BackUpPipeline> {
    const making = makingFolder(backups, server.dataDirectory);
    await emptyFolder(making);
    return new BackUpPipeline(server, backups, making, logger);
  }

  private constructor(
    private readonly server: RunningServer,
    private readonly backups: string,
    private readonly making: string,
    private readonly logger: Logger,
  ) {}

  /**
   * @returns the folder of the backup
   * @throws {Error} when the backup fails; its files are deleted then
   */
  async backUp(wish: BackupWish, working: Working): Promise<string> {
    const begunAt = new Date().toISOString();
    const name = backupName(wish.name, begunAt, MAKING);
    if (this.isWorking)
      throw new OperatorError('a backup is being made already; wait until it is done');
    this.isWorking = true;
    try {
      const folder = join(this.backups, name);
      if (existsSync(folder))
        throw new OperatorError(`there is a backup ${name} already; choose a name`);
      const base = wish.base === undefined ? undefined : this.base(wish.base);
      await mkdir(folder, { mode: 0o700 });
      await this.make(folder, { begunAt, base }, working).catch(async (error: unknown) => {
        await rm(folder, { recursive: true, force: true });
        throw error;
      });
      this.logger.info({ backup: folder }, 'a backup was made');
      return folder;
    } finally {
      await emptyFolder(this.making);
      this.isWorking = false;
    }
  }

  private base(name: string): string {
    const { tables } = isBackupName(name) ? readManifest(join(this.backups, name)) : {};
    if (!tables) throw new OperatorError(`there is nothing in the backup ${name} to begin from`);
    if (tables.base !== undefined)
      throw new OperatorError(
        `the backup ${name} needs ${tables.base} itself; name that one, or one that needs no other`,
      );
    return name;
  }

  private async make(
    folder: string,
    { begunAt, base }: { readonly begunAt: string; readonly base: string | undefined },
    working: Working,
  ): Promise<void> {
    const { dataDirectory, queue, events, version } = this.server;
    const { signal, tell } = working;
    const data = join(folder, FILES);
    await mkdir(data, { mode: 0o700 });
    const hold = await queue.hold();
    const hasTables = await this.copyTablesAndQueue(hold, folder, base, working);
    tell({ step: 'events' });
    await copyFolder(join(dataDirectory, DEAD_LETTER), join(data, DEAD_LETTER));
    await copyFile(join(dataDirectory, ADDRESSES), join(data, ADDRESSES));
    await copyFolder(join(dataDirectory, KEYS), join(data, KEYS));
    const position = String((await this.server.lastPosition()) ?? 0n);
    await mkdir(join(data, 'events'));
    await events.copyTo(join(data, 'events'));
    await copyFolder(join(dataDirectory, KEYS), join(data, KEYS));
    signal.throwIfAborted();
    tell({ step: 'check' });
    if (hasTables) await syncAll(join(folder, TABLES));
    const files = [...(await describeFiles(data))];
    await syncPath(folder);
    const endedAt = new Date().toISOString();
    const tables = hasTables ? { ...(base === undefined ? {} : { base }) } : undefined;
    const lacks = this.server.tables
      .asideTables()
      .map(({ database, table }) => `${database}.${table}`);
    const manifest = newManifest({ millrace: version, begunAt, endedAt, position, tables, lacks, files }); // prettier-ignore
    signal.throwIfAborted();
    await writeDurably(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
    await syncPath(this.backups);
  }

  /** Also ends the hold. @returns whether there are tables */
  private async copyTablesAndQueue(
    hold: QueueHold,
    folder: string,
    base: string | undefined,
    working: Working,
  ): Promise<boolean> {
    const { signal, tell } = working;
    try {
      const hasTables = await this.copyTables(folder, base, working);
      signal.throwIfAborted();
      tell({ step: 'queue' });
      await hold.copyTo(join(folder, FILES, 'queue'));
      return hasTables;
    } finally {
      await hold.release();
    }
  }

  /** @returns whether there are any files */
  private async copyTables(
    folder: string,
    base: string | undefined,
    { signal, tell }: Working,
  ): Promise<boolean> {
    const { making } = this;
    const to = join(making, TABLES);
    for (let left = TRIES - 1; ; left -= 1) {
      await emptyFolder(making);
      // The engine needs to know that the base exists; it does not read it.
      const list = join(making, BASE, '.backup');
      if (base !== undefined) await cp(join(this.backups, base, TABLES, '.backup'), list);
      const from = base === undefined ? {} : { base: { folder: join(making, BASE) } };
      const onProgress = ({ bytes }: { bytes: number }): void => tell({ step: 'tables', bytes });
      try {
        const are = await this.server.tables.backUpTables(
          { folder: to },
          { ...from, signal, onProgress },
        );
        if (are) await rename(to, join(folder, TABLES));
        return are;
      } catch (error) {
        const isLost = error instanceof WarehouseError && error.code === NETWORK_ERROR;
        if (!isLost || left === 0) throw error;
      }
    }
  }
}
