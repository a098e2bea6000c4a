import type { RecordedEvent } from './event.js';
import type { EventStore } from './event-store.js';
import { MappedEventStore } from './mapped-event-store.js';

/** Type of an event that is left out; no aggregate and no projection knows it. */
export const LEFT_OUT = 'LeftOut';

/**
 * A store in which some events have no content. Each of them keeps its place (id, stream, revision,
 * position), so that counting is the same for readers and writers. It carries its stored form as
 * `original` for the audit trail, which hides nothing.
 */
export class LeftOutEvents extends MappedEventStore {
  constructor(
    store: EventStore,
    private readonly isLeftOut: (event: RecordedEvent) => boolean,
  ) {
    super(store);
  }

  protected toRead(event: RecordedEvent): RecordedEvent {
    return this.isLeftOut(event) ? leftOut(event) : event;
  }
}

const leftOut = (event: RecordedEvent): RecordedEvent => {
  const { id, stream, revision, position, metadata, original = event } = event;
  return { id, stream, revision, position, metadata, type: LEFT_OUT, data: {}, original };
};
