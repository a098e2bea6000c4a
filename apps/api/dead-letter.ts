// `millrace dead-letter` lists batches that no table took, and puts them back.
import { parseArgs } from 'node:util';

const USAGE = `usage: millrace dead-letter --list | --replay

Batches that no table took are in <data>/dead-letter of the process that wrote them.

  --list    tells what is there, and why
  --replay  puts each into its table, once, and takes it out of the folder; what still does not go
            stays, and the code is 1. With KAFKA_BROKERS, CLICKHOUSE_URL and EVENTSTORE_URL also
            beside that process; else it must be stopped, for it has the tables.
  --help    this text

MILLRACE_DATA_DIR and the other variables are those of that process.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      list: { type: 'boolean', default: false },
      replay: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(USAGE);
  if (values.list === values.replay) throw new Error(`say --list or --replay\n\n${USAGE}`);
  const { listDeadLetters, replayDeadLetters } = await import('./programs/dead-letter.js');
  if (values.list) await listDeadLetters();
  else if ((await replayDeadLetters()) > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(`dead-letter: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
