import { OperatorError } from '@app/platform';
import { makingFolder } from '@app/backup';
import { makePrivately } from '@app/files';
import type { Config } from '@app/config';

/** Tells whether all that is stored is in the data directory of one process. */
export const isOneProcess = ({ clickHouse, eventStore, kafka }: Config): boolean =>
  clickHouse === undefined && eventStore === undefined && kafka === undefined;

/**
 * Makes the directory in which the engine makes backups; it must exist before the engine starts.
 * @returns undefined where a server has some of the stores
 */
export function engineBackupFolder(config: Config): string | undefined {
  if (!isOneProcess(config)) return undefined;
  makePrivately();
  try {
    return makingFolder(config.backupDirectory, config.dataDirectory);
  } catch (error) {
    throw new OperatorError(
      `MILLRACE_BACKUP_DIR: ${config.backupDirectory} cannot be written to: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
