import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthenticEvents, NotOurs, type EventMetadata, type EventStore } from '@app/event-store';
import { openEmbeddedEventStore } from '@app/event-store/embedded';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { eventStoreContract, reopened } from './event-store.contract.js';

const key = randomBytes(32);
const authentic = (store: EventStore, sealedUpTo = 0n): EventStore =>
  new AuthenticEvents(
    store,
    { key, keyAt: () => key, sealedUpTo },
    new NotOurs({ error: () => undefined }),
  );

/** A store that carries MACs must keep the contract of the port. */
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

it.each([null, 'text', 7])(
  'reads events from before MACs whose metadata are %j',
  async (metadata) => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-authentic-old-'));
    const store = openEmbeddedEventStore({ directory });
    try {
      const event = { type: 'T', data: {}, metadata: metadata as unknown as EventMetadata };
      for (const id of ['a', 'b']) await store.append('old', [{ ...event, id }], 'any');
      const upgraded = authentic(store, 2n);
      for (const events of [upgraded.readAll(), upgraded.read('old')]) {
        const ids = [];
        for await (const { id } of events) ids.push(id);
        expect(ids).toEqual(['a', 'b']);
      }
    } finally {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
);
