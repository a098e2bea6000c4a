import { makingFolder } from '@app/backup';
import { makePrivately } from '@app/files';
import type { Config } from '@app/config';

/** Tells whether all that is stored is in the data directory of one process. */
export const isAlone = ({ clickHouse, eventStore, kafka }: Config): boolean =>
  clickHouse === undefined && eventStore === undefined && kafka === undefined;

/**
 * Names the directory in which the engine may make backups. It must exist before the engine starts.
 */
export function backupsOf(config: Config): string | undefined {
  if (!isAlone(config)) return undefined;
  makePrivately();
  try {
    return makingFolder(config.backupDirectory, config.dataDirectory);
  } catch (error) {
    throw new Error(
      `MILLRACE_BACKUP_DIR: ${config.backupDirectory} cannot be written to: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
