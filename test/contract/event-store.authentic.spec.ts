import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthenticEvents, NotOurs, type EventStore } from '@app/event-store';
import { openEmbeddedEventStore } from '@app/event-store/embedded';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { eventStoreContract, reopened } from './event-store.contract.js';

const key = randomBytes(32);
const authentic = (store: EventStore): EventStore =>
  new AuthenticEvents(
    store,
    { key, keyAt: () => key, sealedUpTo: 0n },
    new NotOurs({ error: () => undefined }),
  );

/** What carries MACs is the same port to whoever reads and appends. */
eventStoreContract('authentic, embedded', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-authentic-'));
  const open = () => authentic(openEmbeddedEventStore({ directory }));
  return Promise.resolve(reopened(open, () => rmSync(directory, { recursive: true, force: true })));
});

eventStoreContract('authentic, EventStoreDB (double)', async () => {
  const double = await EventStoreDbDouble.start();
  const namespace = `test-${randomUUID()}`;
  const log = { warn: () => undefined };
  const open = () => authentic(openEventStoreDb({ url: double.url, namespace, log }));
  return reopened(open, () => double.stop());
});
