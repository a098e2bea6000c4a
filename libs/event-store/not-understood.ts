import { gauge, MillraceError } from '@app/platform';
import type { RecordedEvent } from './event.js';
import { MetEvents, shortened, type MetEvent, type MetEventsLog } from './met-events.js';

const RETRY_AFTER_SECONDS = 60;

/** The stored events that were met and not understood. The log names each of them once. */
export class NotUnderstood {
  private readonly events: MetEvents;
  private readonly streams = new Set<string>();

  constructor(log: MetEventsLog) {
    const more = 'there are more events that are not understood; audit:verify lists them';
    this.events = new MetEvents(log, more);
  }

  get count(): number {
    return this.events.count;
  }

  /**
   * Tells whether this event stream has one. Then the known state of the stream may be incomplete.
   */
  has(stream: string): boolean {
    return this.streams.has(stream);
  }

  /** Lists them by position. */
  all(): readonly MetEvent[] {
    return this.events.all();
  }

  add(event: RecordedEvent, reason: string): void {
    const message =
      'a stored event is not understood: it is passed over, and commands for what it is about are refused; read models are replayed from before it at each start (docs/operations.md, "Events that are not understood")';
    if (this.events.add(event, reason, message)) this.streams.add(event.stream);
  }
}

/** Registers the metrics of events that are not understood. It is called once. */
export function measureNotUnderstood(met: NotUnderstood): void {
  gauge({
    name: 'millrace_events_not_understood',
    help: 'Stored events that this process has met and does not understand; commands for what they are about get 503',
    collect: (count) => count.set(met.count),
  });
}

/**
 * Says why no decision is possible while such an event is there. Names of event streams are not
 * shown, because some reveal other names.
 */
export function cannotDecide({ revision, original, type, notUnderstood }: RecordedEvent) {
  return new MillraceError(
    'EVENT_NOT_UNDERSTOOD',
    'nothing was changed: an event is stored for this that this version of the server does not understand; queries and everything else go on; the server must be brought to the version that wrote it, and its log names the event',
    {
      detail: `event ${revision}, ${shortened(original?.type ?? type)}: ${shortened(notUnderstood ?? '')}`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}
