import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';
import { eventStoreContract } from './event-store.contract.js';

eventStoreContract('embedded', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-events-'));
  let store = openEmbeddedEventStore({ directory });
  return {
    store,
    reopen: async () => {
      await store.close();
      store = openEmbeddedEventStore({ directory });
      return store;
    },
    dispose: async () => {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
