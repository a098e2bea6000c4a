import type { NewEvent, RecordedEvent } from './event.js';
import {
  EventStore,
  type AppendResult,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type SubscribeOptions,
} from './event-store.js';

/** Type of an event that is left out; no aggregate and no projection knows it. */
export const LEFT_OUT = 'LeftOut';

/**
 * A store in which some events say nothing: each keeps its place (id, stream, revision, position),
 * so that whoever follows or appends counts as before, and carries what it was as `original`, for
 * the audit trail, which hides nothing.
 */
export class LeftOutEvents extends EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly isLeftOut: (event: RecordedEvent) => boolean,
  ) {
    super();
  }

  override get awaySince(): number | undefined {
    return this.store.awaySince;
  }

  append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return this.store.append(stream, events, expected);
  }

  read(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent> {
    return this.masked(this.store.read(stream, options));
  }

  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent> {
    return this.masked(this.store.readAll(options));
  }

  subscribe(options: SubscribeOptions): AsyncIterable<RecordedEvent> {
    return this.masked(this.store.subscribe(options));
  }

  lastPosition(): Promise<bigint | undefined> {
    return this.store.lastPosition();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private async *masked(events: AsyncIterable<RecordedEvent>): AsyncIterable<RecordedEvent> {
    for await (const event of events) yield this.isLeftOut(event) ? leftOut(event) : event;
  }
}

const leftOut = (event: RecordedEvent): RecordedEvent => {
  const { id, stream, revision, position, metadata, original = event } = event;
  return { id, stream, revision, position, metadata, type: LEFT_OUT, data: {}, original };
};
