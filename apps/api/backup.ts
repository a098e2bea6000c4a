// `millrace backup`: a copy of a server that goes on meanwhile.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { BucketBackups } from '@app/backup';
import { placeInS3 } from '@app/object-store';
import { askServer } from '@app/platform';
import { readConfig } from '@app/config';
import { bucketOfBackups } from './backups/bucket-of-backups.js';
import { copyProgress, type CopyProgress } from './backups/copy-progress.js';

const USAGE = `usage: millrace backup [--name <name>] [--base <name>] [--to s3://<bucket>/<folder>]

Makes a backup of the server that runs on MILLRACE_DATA_DIR, while it goes on: a folder in
MILLRACE_BACKUP_DIR (of the server; <data>/backups). What was acknowledged before is in it. The
secret key and root's password are not: keep the key apart. \`millrace restore\` makes a data
directory of it.

  --name  how the folder is called (default: the time)
  --base  name of an earlier backup there: of the tables only what has changed since is copied, and
          both folders are needed to restore. It must be one that was made without --base.
  --to    also copies it to S3, or what speaks like it (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
          AWS_REGION, AWS_ENDPOINT_URL). Where there is a folder of that --name already, that one is
          copied: so a copy that failed is made again.
  --help  this text

In a cluster it waits until what was acknowledged is in tables, and has ClickHouse make a backup of
these, where CLICKHOUSE_BACKUPS of the server says. Then copy the event store: docs/operations.md.`;

const TOLD = {
  written: 'waiting until what was acknowledged is in tables',
  tables: 'copying the tables',
  queue: 'copying what waits in the queue',
  events: 'copying events and keys',
  check: 'writing all of it to the disk',
  send: 'copying it to S3',
};
const alone = z.object({ folder: z.string() });
const inCluster = z.object({ name: z.string(), position: z.string() });

interface Copying {
  readonly to: BucketBackups;
  readonly address: string;
  readonly update: (step: CopyProgress) => void;
}

async function copyTo({ to, address, update }: Copying, folder: string): Promise<void> {
  await to.send(folder, update).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `the backup ${folder} is whole, and its copy to ${address} is not: ${reason}; the same command with its --name copies it again`,
      { cause: error },
    );
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      name: { type: 'string' },
      base: { type: 'string' },
      to: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(USAGE);
  const { name, base, to: address } = values;
  const config = readConfig();
  const place = address === undefined ? undefined : placeInS3(address);
  if (address !== undefined && !place)
    throw new Error(
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
        throw new Error('--to is for a server alone; in a cluster CLICKHOUSE_BACKUPS says where');
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
    const folder = isThere ? there : alone.parse(await ask()).folder;
    if (to && address !== undefined) await copyTo({ to, address, update }, folder);
    end();
    console.log(folder);
  } catch (error) {
    end();
    throw error;
  }
}

try {
  await main();
} catch (error) {
  console.error(`backup: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
