import { join } from 'node:path';
import {
  NotOurs,
  NotUnderstood,
  type AuthenticEvents,
  type CopiedEvents,
  type EventStore,
} from '@app/event-store';
import { eventsOfInstallation, PersonalData } from '@app/identity';
import { openServerKey, type ServerKey } from '@app/key-store';
import { OperatorError, type Logger } from '@app/platform';
import type { Config } from '@app/config';
import { understoodEvents } from '@app/stored-events';
import type { Warehouse } from '@app/warehouse';
import { openPersonKeys } from './open-person-keys.js';

/** The event store, with the keys that open the sealed values in its events. */
export interface Events {
  readonly events: EventStore;
  /** The same events, checked only for being ours. */
  readonly authentic: AuthenticEvents;
  /** All stored events, including those of other installations. */
  readonly stored: EventStore;
  readonly notOurs: NotOurs;
  readonly notUnderstood: NotUnderstood;
  readonly serverKey: ServerKey;
  readonly people: PersonalData;
  /** It is undefined if the events are on a server. */
  readonly copiedEvents: CopiedEvents | undefined;
}

/**
 * Opens the events. Nothing is written before it is known that the key belongs to them.
 * @param isAlone no other process has them, not even where they are on a server
 */
export async function openEvents(
  config: Config,
  warehouse: Warehouse,
  log: Logger,
  isAlone = config.eventStore === undefined,
): Promise<Events> {
  const { dataDirectory, secretKey } = config;
  const notOurs = new NotOurs(log);
  const notUnderstood = new NotUnderstood(log);
  const opened = await openEventStore(config, log);
  const { store: stored, copied: copiedEvents } = opened;
  try {
    const isNew = (await stored.lastPosition()) === undefined;
    if (isNew) await refuseLostEvents(config, warehouse);
    const serverKey = openServerKey(dataDirectory, secretKey, isNew);
    const openKeys = once(() => openPersonKeys(config, serverKey, warehouse));
    const understand = (store: EventStore): EventStore => understoodEvents(store, notUnderstood);
    const holder = { serverKey, openKeys, isAlone, understand, notOurs, log };
    const { events, authentic } = await eventsOfInstallation(stored, holder);
    const people = new PersonalData(serverKey, await openKeys());
    const met = { notOurs, notUnderstood };
    return { events, authentic, stored, ...met, serverKey, people, copiedEvents };
  } catch (error) {
    await stored.close();
    throw error;
  }
}

/**
 * Refuses to start without the events that other stores were made from. A server would otherwise
 * begin as if new, beside rows that nobody could reach, or take another installation's store for
 * ours.
 */
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
  throw new OperatorError(
    `the event store (${store}) is empty, and the warehouse has ${tables.length} tables of an installation (${first.database}.${first.table}): it is another store, or its events are gone; restore them from the same backup as the tables`,
  );
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

async function openEventStore(
  { eventStore, dataDirectory }: Config,
  log: Logger,
): Promise<{ readonly store: EventStore; readonly copied?: CopiedEvents }> {
  if (!eventStore) {
    const { openEmbeddedEventStore } = await import('@app/event-store/embedded');
    const store = openEmbeddedEventStore({ directory: join(dataDirectory, 'events') });
    return { store, copied: store };
  }
  const { openEventStoreDb } = await import('@app/event-store/eventstoredb');
  const store = openEventStoreDb({
    ...eventStore,
    log,
    positionFile: join(dataDirectory, 'snapshots', 'event-store-position.json'),
  });
  try {
    await store.lastPosition();
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    throw new OperatorError(`EVENTSTORE_URL: ${message}${reason}`, { cause: error });
  }
  return { store };
}
