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
 * Old versions by type, the first one first, each with its conversion to the next one. The current
 * version of a type is one more than it has here.
 */
const PAST: Readonly<Record<string, readonly PastVersion[]>> = {};

/** All types of events that may be in the event store of an installation. */
export const STORED_EVENTS = new EventTypes(
  { ...IDENTITY_EVENTS, ...STREAM_EVENTS, ...AUDIT_EVENTS },
  PAST,
);

/** The events of a store as this program understands them. */
export const understoodEvents = (store: EventStore, met: NotUnderstood): EventStore =>
  new UnderstoodEvents(store, STORED_EVENTS, met);
