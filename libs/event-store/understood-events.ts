import { z } from 'zod';
import type { EventMetadata, NewEvent, RecordedEvent } from './event.js';
import type { EventStore } from './event-store.js';
import type { EventTypes } from './event-types.js';
import { MappedEventStore } from './mapped-event-store.js';
import type { NotUnderstood } from './not-understood.js';

/** Types of events without content: no aggregate and no projection knows them. */
const NOT_UNDERSTOOD = 'NotUnderstood';
const SPLIT = 'Split';
const FIRST_VERSION = 1;

const metadata = z.object({
  $correlationId: z.string(),
  $causationId: z.string(),
  actor: z.string(),
  organizationId: z.string().exactOptional(),
  client: z.string().exactOptional(),
  contentFingerprint: z.string().exactOptional(),
  requestId: z.string().exactOptional(),
  schemaVersion: z.int().min(FIRST_VERSION).exactOptional(),
  occurredAt: z.iso.datetime(),
});

/** Replaces metadata that cannot be read. */
const NOBODYS: EventMetadata = {
  $correlationId: '',
  $causationId: '',
  actor: 'system',
  occurredAt: new Date(0).toISOString(),
};

/**
 * A store whose events this program understands. An older version of an event is converted to the
 * current one. An event that is not understood keeps its place (id, stream, revision, position),
 * and has no content. `original` is the event as it was stored, for the audit trail, which hides
 * nothing; it has none where its own steps cannot be told. Nothing is appended that would not be
 * read again.
 */
export class UnderstoodEvents extends MappedEventStore {
  constructor(
    store: EventStore,
    private readonly types: EventTypes,
    private readonly notUnderstood: NotUnderstood,
  ) {
    super(store);
  }

  protected override toAppend(event: NewEvent): NewEvent {
    const schemaVersion = this.types.versionOf(event.type);
    if (schemaVersion === undefined)
      throw new Error(`${event.type} is in no table of events, and is not stored`);
    const { type } = event;
    const versioned = { ...event, metadata: { ...event.metadata, schemaVersion } };
    // The event is judged in the form in which it will be read: JSON leaves out fields that are
    // undefined.
    const text = JSON.stringify([versioned.data, versioned.metadata]);
    const [data, metadata] = JSON.parse(text) as [unknown, unknown];
    const problem = metadataProblem(metadata) ?? this.problem({ type, data, version: schemaVersion }); // prettier-ignore
    if (problem !== undefined)
      throw new Error(`${type} is not what the table of events says, and is not stored: ${problem}`); // prettier-ignore
    return versioned;
  }

  private problem(form: Parameters<EventTypes['judge']>[0]): string | undefined {
    const judged = this.types.judge(form);
    return 'notUnderstood' in judged ? judged.notUnderstood : undefined;
  }

  protected toRead(event: RecordedEvent): RecordedEvent {
    if (event.notOurs !== undefined) return event;
    const problem = metadataProblem(event.metadata);
    if (problem !== undefined) return this.passedOver(event, NOBODYS, problem);
    const version = event.metadata.schemaVersion ?? FIRST_VERSION;
    const result = this.types.judge({ type: event.type, data: event.data, version });
    if ('notUnderstood' in result)
      return this.passedOver(event, event.metadata, result.notUnderstood);
    const { events } = result;
    const [first] = events;
    if (events.length === 1 && first?.data === event.data && first?.type === event.type)
      return event;
    const steps = events.map(({ type, data }) => ({ ...event, type, data, original: event }));
    const [only] = steps;
    return only && steps.length === 1
      ? only
      : { ...event, type: SPLIT, data: {}, original: event, steps };
  }

  private passedOver(event: RecordedEvent, known: EventMetadata, reason: string): RecordedEvent {
    this.notUnderstood.add(event, reason);
    const isTellable = known === event.metadata && isRecord(event.data);
    const { id, stream, revision, position } = event;
    return {
      id,
      stream,
      revision,
      position,
      type: NOT_UNDERSTOOD,
      data: {},
      metadata: known,
      notUnderstood: reason,
      ...(isTellable ? { original: event } : {}),
    };
  }
}

function metadataProblem(stored: unknown): string | undefined {
  const [issue] = metadata.safeParse(stored).error?.issues ?? [];
  return issue && `metadata: ${[...issue.path, issue.message].join(': ')}`;
}

const isRecord = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && !Array.isArray(data);
