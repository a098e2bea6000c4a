// `millrace backup`: a copy of a server that goes on meanwhile.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { BackupStep } from '@app/backup';
import { askServer, readConfig } from '@app/platform';

const USAGE = `usage: millrace backup [--name <name>] [--base <name>]

Makes a backup of the server that runs on MILLRACE_DATA_DIR, while it goes on: a folder in
MILLRACE_BACKUP_DIR (of the server; <data>/backups). What was acknowledged before is in it. The
secret key and root's password are not: keep the key apart. \`millrace restore\` makes a data
directory of it.

  --name  how the folder is called (default: the time)
  --base  name of an earlier backup there: of the tables only what has changed since is copied, and
          both folders are needed to restore. It must be one that was made without --base.
  --help  this text

Where tables, events or batches are on servers, those have backups of their own: docs/operations.md.`;

const MIB = 1024 ** 2;
const TOLD: Readonly<Record<BackupStep['step'], string>> = {
  tables: 'copying the tables',
  queue: 'copying what waits in the queue',
  events: 'copying events and keys',
  check: 'writing all of it to the disk',
};
const outcome = z.object({ folder: z.string() });

function progress(): (step: object) => void {
  let last = '';
  return (told) => {
    const { step, bytes } = told as BackupStep;
    const text = `${TOLD[step]}${bytes === undefined ? '' : ` (${Math.ceil(bytes / MIB)} MiB)`}`;
    const isNew = process.stderr.isTTY ? text !== last : step !== last;
    if (isNew) process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${TOLD[step]}\n`);
    last = process.stderr.isTTY ? text : step;
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      name: { type: 'string' },
      base: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(USAGE);
  const { name, base } = values;
  const { dataDirectory } = readConfig();
  try {
    const done = await askServer(dataDirectory, 'backup', { name, base }, progress());
    const { folder } = outcome.parse(done);
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    console.log(folder);
  } catch (error) {
    if (process.stderr.isTTY) process.stderr.write('\n');
    throw error;
  }
}

try {
  await main();
} catch (error) {
  console.error(`backup: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
