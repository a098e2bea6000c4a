import type { NewEvent, RecordedEvent } from './event.js';
import {
  EventStore,
  type AppendResult,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type SubscribeOptions,
} from './event-store.js';

/** A store over another store. Each event is converted when it is read, and when it is appended. */
export abstract class MappedEventStore extends EventStore {
  constructor(protected readonly store: EventStore) {
    super();
  }

  protected abstract toRead(event: RecordedEvent): RecordedEvent;

  protected toAppend(event: NewEvent): NewEvent {
    return event;
  }

  override get awaySince(): number | undefined {
    return this.store.awaySince;
  }

  append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return this.store.append(stream, events.map((event) => this.toAppend(event)), expected); // prettier-ignore
  }

  read(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent> {
    return this.mapped(this.store.read(stream, options));
  }

  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent> {
    return this.mapped(this.store.readAll(options));
  }

  subscribe(options: SubscribeOptions): AsyncIterable<RecordedEvent> {
    return this.mapped(this.store.subscribe(options));
  }

  lastPosition(): Promise<bigint | undefined> {
    return this.store.lastPosition();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private async *mapped(events: AsyncIterable<RecordedEvent>): AsyncIterable<RecordedEvent> {
    for await (const event of events) yield this.toRead(event);
  }
}
