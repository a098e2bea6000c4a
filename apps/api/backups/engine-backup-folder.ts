import { join } from 'node:path';
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
    // Without a folder of its own for backups, what cannot be written to is the data directory.
    const isOwn = config.backupDirectory !== join(config.dataDirectory, 'backups');
    const [variable, folder] = isOwn
      ? ['MILLRACE_BACKUP_DIR', config.backupDirectory]
      : ['MILLRACE_DATA_DIR', config.dataDirectory];
    throw new OperatorError(
      `${variable}: ${folder} cannot be written to: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
