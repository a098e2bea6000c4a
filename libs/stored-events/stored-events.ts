import { AUDIT_EVENTS } from '@app/audit';
import {
  EventTypes,
  UnderstoodEvents,
  type EventStore,
  type NotUnderstood,
  type PastVersion,
} from '@app/event-store';
import { IDENTITY_EVENTS } from '@app/identity';
import { STREAM_EVENTS } from '@app/streams';

/**
 * Versions that are not written any more, by type: the first one first, each with what makes later
 * words of it. A type's version today is one more than it has here.
 */
const PAST: Readonly<Record<string, readonly PastVersion[]>> = {};

/** All that may be in the event store of an installation. */
export const STORED_EVENTS = new EventTypes(
  { ...IDENTITY_EVENTS, ...STREAM_EVENTS, ...AUDIT_EVENTS },
  PAST,
);

/** The events of a store as this program understands them. */
export const understoodEvents = (store: EventStore, met: NotUnderstood): EventStore =>
  new UnderstoodEvents(store, STORED_EVENTS, met);
