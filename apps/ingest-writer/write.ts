import 'reflect-metadata';
import { GroupInserter, measureWriter, WritePipeline, WriteProgress } from '@app/writer';
import { openStatusServer } from '@app/http';
import {
  closeOnSignal,
  createLogger,
  endOnUnhandledRejection,
  measureReadiness,
  startTracing,
} from '@app/platform';
import { readConfig } from '@app/config';
import { openParts } from './open-parts.js';

/** Writes until a signal. @throws {Error} when it cannot start */
export async function write(): Promise<void> {
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
