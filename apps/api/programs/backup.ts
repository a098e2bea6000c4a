import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readManifest, type BucketBackups } from '@app/backup';
import { readConfigOfCommand } from '@app/config';
import { placeInS3 } from '@app/object-store';
import { askServer, OperatorError } from '@app/platform';
import { bucketOfBackups } from '../backups/bucket-of-backups.js';
import { copyProgress, type CopyProgress } from '../backups/copy-progress.js';

const TOLD = {
  written: 'waiting until what was acknowledged is in tables',
  tables: 'copying the tables',
  queue: 'copying what waits in the queue',
  events: 'copying events and keys',
  check: 'writing all of it to the disk',
  send: 'copying it to S3',
};
const alone = z.object({ folder: z.string() });
/** The code of a backup that is whole but for tables that the engine cannot load. */
const LACKING = 2;
const inCluster = z.object({ name: z.string(), position: z.string() });

interface Copying {
  readonly to: BucketBackups;
  readonly address: string;
  readonly update: (step: CopyProgress) => void;
}

async function copyTo({ to, address, update }: Copying, folder: string): Promise<void> {
  await to.send(folder, update).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      `the backup ${folder} is whole, and its copy to ${address} is not: ${reason}; the same command with its --name copies it again`,
      { cause: error },
    );
  });
}

/** An earlier backup may be the only one with such a table. Who takes old ones away by the code keeps it. */
function tellWhatIsLacking(folder: string): void {
  const { lacks } = readManifest(folder);
  if (lacks.length === 0) return;
  process.exitCode = LACKING;
  console.error(
    `the backup has not got ${lacks.join(', ')}, which the engine cannot load: keep the earlier backups that have it (docs/operations.md, "Damaged definitions")`,
  );
}

interface Wanted {
  readonly name: string | undefined;
  /** The name of an earlier backup. */
  readonly base: string | undefined;
  /** The address of a folder in S3 that gets a copy. */
  readonly to: string | undefined;
}

/**
 * Has the running server make a backup. The exit code is another one where a table is not in it.
 * @throws {Error} when it is not whole, or its copy is not
 */
export async function makeBackup({ name, base, to: address }: Wanted): Promise<void> {
  const config = readConfigOfCommand();
  const place = address === undefined ? undefined : placeInS3(address);
  if (address !== undefined && !place)
    throw new OperatorError(
      `--to ${address}: want s3://<bucket>/<folder>; folders are MILLRACE_BACKUP_DIR`,
    );
  const to = place && bucketOfBackups(config, place);
  const { update, end } = copyProgress(TOLD);
  const ask = (): Promise<object> =>
    askServer(config.dataDirectory, 'backup', { name, base }, (step) =>
      update(step as CopyProgress),
    );
  try {
    if (config.clickHouse) {
      if (to)
        throw new OperatorError(
          '--to is for a server alone; in a cluster CLICKHOUSE_BACKUPS says where',
        );
      const done = inCluster.parse(await ask());
      end();
      console.log(done.name);
      console.error(
        `now copy the event store: a copy that is made from now on has all that these tables know (position ${done.position})`,
      );
      return;
    }
    const there = name === undefined ? undefined : join(config.backupDirectory, name);
    const isThere = to !== undefined && there !== undefined && existsSync(there);
    const { folder } = isThere ? { folder: there } : alone.parse(await ask());
    if (to && address !== undefined) await copyTo({ to, address, update }, folder);
    end();
    console.log(folder);
    tellWhatIsLacking(folder);
  } catch (error) {
    end();
    throw error;
  }
}
