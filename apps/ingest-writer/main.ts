// `millrace serve` with MILLRACE_ROLES=writer: takes batches from Kafka and writes them to ClickHouse.
import { parseArgs } from 'node:util';

const USAGE = `usage: millrace serve, with MILLRACE_ROLES=writer

Takes batches from Kafka and writes them to ClickHouse, as one of any number of writers. Needs
KAFKA_BROKERS, CLICKHOUSE_URL and EVENTSTORE_URL, and a MILLRACE_DATA_DIR of its own. An API that
should leave the writing to it is started with MILLRACE_ROLES=api.`;

try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) console.log(USAGE);
  else {
    const { write } = await import('./write.js');
    await write();
  }
} catch (error) {
  console.error(
    `the writer cannot start: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exit(1);
}
