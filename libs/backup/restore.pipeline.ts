import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OperatorError } from '@app/platform';
import { syncPath, writeDurably } from '@app/files';
import type { TableBackups } from '@app/warehouse';
import { emptyFolder, restoreFiles, syncAll } from './kept-files.js';
import { FILES, readManifest, TABLES, type Manifest } from './manifest.js';

/** This file is in a data directory until all of the backup is restored. */
const RESTORING = 'restoring';

interface RestoreWish {
  /** Absolute. */
  readonly backup: string;
  /** An absolute path; the folder is empty or missing. */
  readonly dataDirectory: string;
  /**
   * Does `work` with a warehouse in that directory. The warehouse may read files beside the backup.
   */
  readonly withTables: (
    backups: string,
    work: (tables: TableBackups) => Promise<void>,
  ) => Promise<void>;
}

/**
 * A backup becomes a data directory: files → tables. A start carries out the rest: events that
 * tables do not have, and batches that wait in the queue.
 * @throws {Error} when the backup is not whole, or the directory not empty; nothing is in it then
 */
export async function restore(wish: RestoreWish): Promise<Manifest> {
  const { backup, dataDirectory, withTables } = wish;
  const manifest = readManifest(backup);
  const base = baseOf(backup, manifest);
  if (existsSync(dataDirectory) && readdirSync(dataDirectory).length > 0)
    throw new OperatorError(
      `${dataDirectory} is not empty: a backup is restored into an empty folder; set MILLRACE_DATA_DIR to one, or to one that is not there`,
    );
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  await writeDurably(join(dataDirectory, RESTORING), `${basename(backup)}\n`);
  try {
    await restoreFiles(manifest.files, join(backup, FILES), dataDirectory);
    if (manifest.tables)
      await withTables(dirname(backup), (tables) =>
        tables.restoreTables(
          { folder: join(backup, TABLES) },
          base === undefined ? {} : { base: { folder: join(base, TABLES) } },
        ),
      );
    await syncAll(dataDirectory);
  } catch (error) {
    await emptyFolder(dataDirectory);
    throw error;
  }
  await rm(join(dataDirectory, RESTORING));
  await syncPath(dataDirectory);
  return manifest;
}

function baseOf(backup: string, { tables }: Manifest): string | undefined {
  if (tables?.base === undefined) return undefined;
  const base = join(dirname(backup), tables.base);
  if (!existsSync(base))
    throw new OperatorError(
      `the backup ${basename(backup)} has only what has changed since the backup ${tables.base}, which is not beside it: put both into one folder`,
    );
  readManifest(base);
  return base;
}

/** @throws {Error} when a restore was broken off here */
export function refuseHalfRestored(dataDirectory: string): void {
  if (!existsSync(join(dataDirectory, RESTORING))) return;
  throw new OperatorError(
    `a backup was being restored into ${dataDirectory} and is not whole: empty the folder, and restore it again`,
  );
}
