import { randomUUID } from 'node:crypto';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { openSite, understood, type Site } from './node.js';

/** A site whose events are in EventStoreDB: a real one when there is one, else the double. */
export async function openSiteOnEventStoreDb(): Promise<Site> {
  const site = openSite();
  const server = process.env.EVENTSTORE_URL;
  const double = server === undefined ? await EventStoreDbDouble.start() : undefined;
  await site.store.close();
  const stored = openEventStoreDb({
    url: server ?? double?.url ?? '',
    namespace: `test-${randomUUID()}`,
    log: { warn: () => undefined },
  });
  return {
    ...site,
    ...understood(stored),
    dispose: async () => {
      await stored.close();
      await double?.stop();
      await site.dispose();
    },
  };
}
