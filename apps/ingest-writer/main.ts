// `millrace serve` with MILLRACE_ROLES=writer: takes batches from Kafka and writes them to ClickHouse.
import 'reflect-metadata';
import { GroupInserter, measureWriter, WritePipeline, WriteProgress } from '@app/writer';
import {
  closeOnSignal,
  createLogger,
  endOnUnhandledRejection,
  measureReadiness,
  openStatusServer,
  startTracing,
} from '@app/platform';
import { readConfig } from '@app/config';
import { openParts } from './open-parts.js';

const USAGE = `usage: millrace serve, with MILLRACE_ROLES=writer

Takes batches from Kafka and writes them to ClickHouse, as one of any number of writers. Needs
KAFKA_BROKERS, CLICKHOUSE_URL and EVENTSTORE_URL, and a MILLRACE_DATA_DIR of its own. An API that
should leave the writing to it is started with MILLRACE_ROLES=api.`;

async function start(): Promise<void> {
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  endOnUnhandledRejection(logger);
  const tracing = await startTracing(config.tracesTo, 'millrace-writer', logger);
  const parts = await openParts(config, logger);
  const { deadLetter } = parts;
  const writer = new WritePipeline(
    parts.queue,
    new GroupInserter(
      parts.warehouse,
      parts.spool.folder('writer'),
      parts.streams,
      parts.warehouse,
    ),
    deadLetter,
    new WriteProgress(parts.queue, deadLetter),
    logger,
  );
  measureWriter({ writer, deadLetter });
  parts.readiness.watch('writer', () => writer.checkWriting());
  measureReadiness(parts.readiness);
  writer.start();
  const status = config.status && (await openStatusServer(config.status, parts.readiness));
  closeOnSignal(async () => {
    parts.readiness.notReady('writer', 'stopping');
    await writer.stop();
    await parts.close();
    await tracing.stop();
    status?.close();
  });
  if (status) console.log(`its health and metrics are at ${status.url}`);
  console.log('Millrace writes');
}

if (process.argv.includes('--help')) console.log(USAGE);
else
  try {
    await start();
  } catch (error) {
    console.error(
      `the writer cannot start: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exit(1);
  }
