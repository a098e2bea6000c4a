import { join } from 'node:path';
import {
  measureNotOurs,
  measureNotUnderstood,
  measureProjections,
  NotOurs,
  NotUnderstood,
  Projector,
} from '@app/event-store';
import { eventsOfInstallation } from '@app/identity';
import { Spool } from '@app/intake';
import { measureQueue, type IngestQueue } from '@app/ingest-queue';
import { ServerKey } from '@app/key-store';
import { keepPrivate, nodeId } from '@app/files';
import { measureProcess, OperatorError, Readiness, type Logger } from '@app/platform';
import type { Config } from '@app/config';
import { understoodEvents } from '@app/stored-events';
import { ForgottenBatchesProjection, StreamsProjection } from '@app/streams';
import { openWarehouse, type Warehouse } from '@app/warehouse';
import { openDeadLetter, type DeadLetter } from '@app/writer';

/**
 * The components that a writer works with. It shares all of them with other processes, except for files
 * on their way.
 */
export interface Components {
  readonly queue: IngestQueue;
  readonly warehouse: Warehouse;
  /** Tells which streams, and organizations, were deleted. */
  readonly streams: StreamsProjection;
  readonly spool: Spool;
  readonly deadLetter: DeadLetter;
  readonly readiness: Readiness;
  close(): Promise<void>;
}

/** @throws when a server is not named, or does not answer. */
export async function openComponents(config: Config, logger: Logger): Promise<Components> {
  const { dataDirectory, kafka, clickHouse, eventStore, secretKey } = config;
  const { queueMaxBytes: maxBytes } = config;
  if (!kafka || clickHouse === undefined || eventStore === undefined)
    throw new OperatorError(
      'a writer of its own needs KAFKA_BROKERS, CLICKHOUSE_URL and EVENTSTORE_URL, the same as the API’s; without them the API’s process writes by itself',
    );
  if (secretKey === undefined)
    throw new OperatorError(
      'a writer of its own needs MILLRACE_SECRET_KEY, the same as the API’s: without it nobody can tell the events of this installation from those of another program',
    );
  keepPrivate(dataDirectory, logger);
  const [{ openKafka }, { openEventStoreDb }] = await Promise.all([
    import('@app/ingest-queue/kafka'),
    import('@app/event-store/eventstoredb'),
  ]);
  const { warehouse } = await openWarehouse({
    directory: join(dataDirectory, 'warehouse'),
    clickHouse,
    limits: config.query,
    readers: 1,
    acceptors: 2,
    files: [join(dataDirectory, 'spool')],
  });
  const notUnderstood = new NotUnderstood(logger);
  const notOurs = new NotOurs(logger);
  const { events } = await eventsOfInstallation(openEventStoreDb({ ...eventStore, log: logger }), {
    serverKey: new ServerKey(secretKey),
    isAlone: false,
    understand: (store) => understoodEvents(store, notUnderstood),
    notOurs,
    log: logger,
  });
  const streams = new StreamsProjection();
  const deadLetter = openDeadLetter(dataDirectory);
  const forgotten = new ForgottenBatchesProjection(streams, deadLetter);
  const projector = new Projector(events, [streams, forgotten], logger);
  await projector.start();
  const { queue } = await openKafka({
    ...kafka,
    maxBytes,
    nodeId: nodeId(dataDirectory),
    log: logger,
  });
  const spool = new Spool(join(dataDirectory, 'spool'), {
    minFreeBytes: config.upload.minFreeDiskBytes,
  });
  measureProcess();
  measureQueue(queue);
  measureProjections(projector, events);
  measureNotUnderstood(notUnderstood);
  measureNotOurs(notOurs);
  const readiness = new Readiness();
  readiness.watch('event-store', () => events.lastPosition());
  readiness.watch('warehouse', () => warehouse.text({ sql: 'SELECT 1', format: 'text' }));
  readiness.watch('queue', () => queue.reach());
  readiness.watch('disk', () => spool.checkFree());
  readiness.watch('read models', () => projector.checkFollowing());
  return {
    readiness,
    queue,
    warehouse,
    streams,
    spool,
    deadLetter,
    close: async () => {
      await queue.close();
      await projector.stop();
      await events.close();
      await warehouse.close();
    },
  };
}
