import { within } from '@app/flow';
import { gauge } from '@app/platform';
import type { EventStore } from '../event-store.js';
import type { Projector } from './projector.js';

const MAX_WAIT_MS = 1000;

/**
 * Exports for `/metrics` how far the event store and this process's read models are. It must be
 * called once. Positions count events in the embedded store, and bytes of the log in EventStoreDB.
 */
export function measureProjections(projector: Projector, store: EventStore): void {
  let last = 0n;
  gauge({
    name: 'millrace_event_store_position',
    help: 'Position of the last event in the event store, as far as it could be asked',
    collect: async (position) => {
      last = (await lastWithin(store, MAX_WAIT_MS)) ?? last;
      position.set(Number(last));
    },
  });
  gauge({
    name: 'millrace_event_store_away_since_seconds',
    help: 'When the event store stopped answering, in seconds since the epoch; 0 while it answers',
    collect: (since) => since.set((store.awaySince ?? 0) / 1000),
  });
  gauge({
    name: 'millrace_projection_position',
    help: 'Position of the last event that all read models of this process have',
    collect: (position) => position.set(Number(projector.position)),
  });
  gauge({
    name: 'millrace_projection_lag',
    help: 'What the read models of this process lack, in positions; 0: nothing',
    collect: async (lag) => {
      const newest = (await lastWithin(store, MAX_WAIT_MS)) ?? last;
      lag.set(Math.max(0, Number(newest - projector.position)));
    },
  });
  gauge({
    name: 'millrace_projection_failing',
    help: '1 while a read model fails and is tried again; commands that it concerns get 503 meanwhile',
    collect: (failing) => failing.set(projector.isFailing ? 1 : 0),
  });
}

/** @returns undefined when the store does not answer in time. */
function lastWithin(store: EventStore, ms: number): Promise<bigint | undefined> {
  const asked = store.lastPosition().catch(() => undefined);
  return within(ms, asked, () => undefined);
}
