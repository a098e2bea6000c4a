import { randomUUID } from 'node:crypto';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { eventStoreContract, reopened } from './event-store.contract.js';

/** A real server when there is one; otherwise the double. Each test has streams of its own. */
const server = process.env.EVENTSTORE_URL;
const log = { warn: () => undefined };

eventStoreContract(server === undefined ? 'EventStoreDB (double)' : 'EventStoreDB', async () => {
  const double = server === undefined ? await EventStoreDbDouble.start() : undefined;
  const namespace = `test-${randomUUID()}`;
  const open = () => openEventStoreDb({ url: server ?? double?.url ?? '', namespace, log });
  return reopened(open, () => double?.stop());
});
