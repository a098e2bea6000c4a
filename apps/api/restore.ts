// `millrace restore`: a data directory out of a backup.
import { parseArgs } from 'node:util';

const USAGE = `usage: millrace restore <folder of the backup> | s3://<bucket>/<folder>/<backup>

Makes MILLRACE_DATA_DIR out of a backup that \`millrace backup\` made. It must be empty, or not be
there. One in S3 is fetched into a folder beside it first, which is removed afterwards
(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL).

With CLICKHOUSE_URL and CLICKHOUSE_BACKUPS it is the name of a backup of a cluster, whose tables go
into a ClickHouse that has none of ours. No program of the cluster may run.

Then start the server with it, and with the secret key that it had: in MILLRACE_SECRET_KEY, or as the
file secret-key.

  --help  this text`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  if (values.help) return void console.log(USAGE);
  const [backup, ...others] = positionals;
  if (backup === undefined || others.length > 0) throw new Error(`say which backup\n\n${USAGE}`);
  const { restoreBackup } = await import('./programs/restore.js');
  await restoreBackup(backup);
}

try {
  await main();
} catch (error) {
  console.error(`restore: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
