import 'reflect-metadata';
import { measureLeadership } from '@app/audit';
import {
  measureNotOurs,
  measureNotUnderstood,
  measureProjections,
  Projector,
} from '@app/event-store';
import { openStatusServer } from '@app/http';
import {
  closeOnSignal,
  createLogger,
  endOnUnhandledRejection,
  measureProcess,
  measureReadiness,
  OperatorError,
  Readiness,
  startTracing,
} from '@app/platform';
import { readConfig } from '@app/config';
import { openStores, refuseOtherAge } from '../components/open-components.js';

/** Carries events out until a signal. @throws {Error} when it cannot start */
export async function project(): Promise<void> {
  const config = readConfig();
  if (config.clickHouse === undefined || config.eventStore === undefined)
    throw new OperatorError(
      'a projector of its own needs CLICKHOUSE_URL and EVENTSTORE_URL, the same as the API’s; without them the API’s process has the read models by itself',
    );
  const logger = createLogger(config.logLevel);
  endOnUnhandledRejection(logger);
  const tracing = await startTracing(config.tracesTo, 'millrace-projector', logger);
  const stores = await openStores(config, logger);
  const { events, notOurs, notUnderstood, warehouse, projections, snapshots, lead } = stores;
  const projector = new Projector(events, projections, logger, snapshots);
  await refuseOtherAge(stores);
  await projector.start();
  measureProcess();
  measureProjections(projector, events);
  measureNotUnderstood(notUnderstood);
  measureNotOurs(notOurs);
  measureLeadership(lead);
  const readiness = new Readiness();
  readiness.watch('event-store', () => events.lastPosition());
  readiness.watch('warehouse', () => warehouse.text({ sql: 'SELECT 1', format: 'text' }));
  readiness.watch('read models', () => projector.checkFollowing());
  measureReadiness(readiness);
  const status = config.status && (await openStatusServer(config.status, readiness));
  closeOnSignal(async () => {
    readiness.notReady('projector', 'stopping');
    lead.stopFollowing();
    await projector.stop();
    await stores.close();
    await tracing.stop();
    status?.close();
  });
  console.log('Millrace projects');
  if (status) console.log(`its health and metrics are at ${status.url}`);
}
