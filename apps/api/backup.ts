// `millrace backup`: a copy of a server that goes on meanwhile.
import { parseArgs } from 'node:util';

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

It ends with code 2 where the server runs without a table that it cannot load: the backup has all
but that one, and an earlier backup may be the only one with it.

In a cluster it waits until what was acknowledged is in tables, and has ClickHouse make a backup of
these, where CLICKHOUSE_BACKUPS of the server says. Then copy the event store: docs/operations.md.`;

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
  const { name, base, to } = values;
  const { makeBackup } = await import('./programs/backup.js');
  await makeBackup({ name, base, to });
}

try {
  await main();
} catch (error) {
  console.error(`backup: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
