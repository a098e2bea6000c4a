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
import { openComponents } from './open-components.js';

/** Writes until a signal. @throws {Error} when it cannot start */
export async function write(): Promise<void> {
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  endOnUnhandledRejection(logger);
  const tracing = await startTracing(config.tracesTo, 'millrace-writer', logger);
  const components = await openComponents(config, logger);
  const { deadLetter } = components;
  const writer = new WritePipeline(
    components.queue,
    new GroupInserter(
      components.warehouse,
      components.spool.folder('writer'),
      components.streams,
      components.warehouse,
    ),
    deadLetter,
    new WriteProgress(components.queue, deadLetter),
    logger,
  );
  measureWriter({ writer, deadLetter });
  components.readiness.watch('writer', () => writer.checkWriting());
  measureReadiness(components.readiness);
  writer.start();
  const status = config.status && (await openStatusServer(config.status, components.readiness));
  closeOnSignal(async () => {
    components.readiness.notReady('writer', 'stopping');
    await writer.stop();
    await components.close();
    await tracing.stop();
    status?.close();
  });
  if (status) console.log(`its health and metrics are at ${status.url}`);
  console.log('Millrace writes');
}
