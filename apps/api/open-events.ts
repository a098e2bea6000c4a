import { join } from 'node:path';
import type { CopiedEvents, EventStore } from '@app/event-store';
import { eventsOfInstallation, PersonalData } from '@app/identity';
import { openServerKey, type ServerKey } from '@app/key-store';
import type { Config, Logger } from '@app/platform';
import type { Warehouse } from '@app/warehouse';
import { openPersonKeys } from './open-person-keys.js';

/** The events, and what opens what is sealed in them. */
export interface Events {
  readonly events: EventStore;
  readonly serverKey: ServerKey;
  readonly people: PersonalData;
  /** Undefined where they are on a server. */
  readonly copiedEvents: CopiedEvents | undefined;
}

/** Nothing is written before the key is known to be theirs. */
export async function openEvents(
  config: Config,
  warehouse: Warehouse,
  log: Logger,
): Promise<Events> {
  const { dataDirectory, secretKey } = config;
  const { stored, copied } = await openEventStore(config, join(dataDirectory, 'events'), log);
  try {
    const isNew = (await stored.lastPosition()) === undefined;
    if (isNew) await refuseLostEvents(config, warehouse);
    const serverKey = openServerKey(dataDirectory, secretKey, isNew);
    const openKeys = once(() => openPersonKeys(config, serverKey, warehouse));
    const events = await eventsOfInstallation(stored, { serverKey, openKeys, log });
    const people = new PersonalData(serverKey, await openKeys());
    return { events, serverKey, people, copiedEvents: copied };
  } catch (error) {
    await stored.close();
    throw error;
  }
}

/** Without this all would begin as if new beside rows that nobody could reach, and another installation's store would be taken for ours. */
async function refuseLostEvents(
  { eventStore, dataDirectory }: Config,
  warehouse: Warehouse,
): Promise<void> {
  const tables = await warehouse.tables();
  const [first] = tables;
  if (!first) return;
  const store = eventStore
    ? `EVENTSTORE_URL, EVENTSTORE_NAMESPACE ${eventStore.namespace}`
    : join(dataDirectory, 'events');
  throw new Error(
    `the event store (${store}) is empty, and the warehouse has ${tables.length} tables of an installation (${first.database}.${first.table}): it is another store, or its events are gone; restore them from the same backup as the tables`,
  );
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

async function openEventStore(
  { eventStore }: Config,
  directory: string,
  log: Logger,
): Promise<{ readonly stored: EventStore; readonly copied?: CopiedEvents }> {
  if (!eventStore) {
    const { openEmbeddedEventStore } = await import('@app/event-store/embedded');
    const stored = openEmbeddedEventStore({ directory });
    return { stored, copied: stored };
  }
  const { openEventStoreDb } = await import('@app/event-store/eventstoredb');
  const store = openEventStoreDb({ ...eventStore, log });
  try {
    await store.lastPosition();
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    throw new Error(`EVENTSTORE_URL: ${message}${reason}`, { cause: error });
  }
  return { stored: store };
}
