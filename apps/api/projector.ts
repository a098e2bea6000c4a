// `millrace serve` with MILLRACE_ROLES=projector: carries events out (tables, audit trail) for API processes.
import 'reflect-metadata';
import { measureLeadership } from '@app/audit';
import {
  measureNotOurs,
  measureNotUnderstood,
  measureProjections,
  Projector,
} from '@app/event-store';
import {
  closeOnSignal,
  createLogger,
  endOnUnhandledRejection,
  measureProcess,
  measureReadiness,
  openStatusServer,
  Readiness,
  startTracing,
} from '@app/platform';
import { readConfig } from '@app/config';
import { openStores, refuseOtherAge } from './parts/open-parts.js';

const USAGE = `usage: millrace serve, with MILLRACE_ROLES=projector

Follows the events and carries them out: the warehouse's tables, and the audit trail. API processes
do the same where there is no projector; with one they leave it the work. Needs CLICKHOUSE_URL and
EVENTSTORE_URL, the same as theirs, their MILLRACE_SECRET_KEY, and a MILLRACE_DATA_DIR of its own.`;

async function start(): Promise<void> {
  const config = readConfig();
  if (config.clickHouse === undefined || config.eventStore === undefined)
    throw new Error(
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
    await projector.stop();
    await stores.close();
    await tracing.stop();
    status?.close();
  });
  console.log('Millrace projects');
  if (status) console.log(`its health and metrics are at ${status.url}`);
}

if (process.argv.includes('--help')) console.log(USAGE);
else
  try {
    await start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`the projector cannot start: ${reason}`);
    process.exit(1);
  }
