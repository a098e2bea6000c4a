import { gauge, MillraceError } from '@app/platform';
import type { RecordedEvent } from './event.js';

/** A stored event that is passed over. */
export interface NotUnderstoodEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly reason: string;
}

export interface NotUnderstoodLog {
  error(details: object, message: string): void;
}

const LOGGED_MAX = 100;
const TEXT_MAX = 300;
const RETRY_AFTER_SECONDS = 60;

/** The stored events that were met and not understood, each named in the log once. */
export class NotUnderstood {
  private readonly events = new Map<bigint, NotUnderstoodEvent>();
  private readonly streams = new Set<string>();

  constructor(private readonly log: NotUnderstoodLog) {}

  get count(): number {
    return this.events.size;
  }

  /** Whether there is one in this event stream: what is known of it may be less than what is so. */
  has(stream: string): boolean {
    return this.streams.has(stream);
  }

  /** By position. */
  all(): readonly NotUnderstoodEvent[] {
    return [...this.events].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => event);
  }

  add({ position, stream, revision, type }: RecordedEvent, reason: string): void {
    if (this.events.has(position)) return;
    const event = { stream, revision, type: shortened(String(type)), reason: shortened(reason) };
    this.events.set(position, event);
    this.streams.add(stream);
    if (this.count > LOGGED_MAX + 1) return;
    if (this.count > LOGGED_MAX) {
      this.log.error({}, 'there are more events that are not understood; audit:verify lists them');
      return;
    }
    this.log.error(
      { ...event, stream: shortened(stream), position: String(position) },
      'a stored event is not understood: it is passed over, and commands for what it is about are refused; read models are replayed from before it at each start (docs/operations.md, "Events that are not understood")',
    );
  }
}

/** For `/metrics`. Once. */
export function measureNotUnderstood(met: NotUnderstood): void {
  gauge({
    name: 'millrace_events_not_understood',
    help: 'Stored events that this process has met and does not understand; commands for what they are about get 503',
    collect: (count) => count.set(met.count),
  });
}

/** Why nothing can be decided where such an event is. Names of event streams are not shown: some tell of others. */
export function cannotDecide({ revision, original, type, notUnderstood }: RecordedEvent) {
  return new MillraceError(
    'EVENT_NOT_UNDERSTOOD',
    'nothing was changed: an event is stored for this that this version of the server does not understand; queries and everything else go on; the server must be brought to the version that wrote it, and its log names the event',
    {
      detail: `event ${revision}, ${shortened(String(original?.type ?? type))}: ${shortened(notUnderstood ?? '')}`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}

const shortened = (text: string): string => text.slice(0, TEXT_MAX);
