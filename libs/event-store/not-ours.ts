import { gauge } from '@app/platform';
import type { RecordedEvent } from './event.js';

/** A stored event that Millrace has not written, or one of ours after which one is missing. */
export interface NotOursEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly reason: string;
}

export interface NotOursLog {
  error(details: object, message: string): void;
}

const LOGGED_MAX = 100;
/** Whoever writes into the store may write for ever. */
const KEPT_MAX = 10_000;
const TEXT_MAX = 300;
const GAP = 'the event of ours before it in its event stream is missing or changed';

/** The stored events that were met and are not ours, and the gaps between ours; each is named in the log once. */
export class NotOurs {
  private readonly events = new Map<bigint, NotOursEvent>();

  constructor(private readonly log: NotOursLog) {}

  get count(): number {
    return this.events.size;
  }

  /** By position. */
  all(): readonly NotOursEvent[] {
    return [...this.events].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => event);
  }

  add(event: RecordedEvent, reason: string): void {
    this.keep(
      event,
      reason,
      'a stored event was not written by this installation: it is passed over and changes nothing; another program, or a release from before events had MACs, writes into its event store (docs/operations.md, "Events that are not ours")',
    );
  }

  /** @param event one of ours, which goes on to hold */
  addGap(event: RecordedEvent): void {
    this.keep(
      event,
      GAP,
      'events of this installation are missing, or were changed, in its event store; those that are there go on to hold (docs/operations.md, "Events that are not ours")',
    );
  }

  private keep(stored: RecordedEvent, reason: string, message: string): void {
    const { position, revision } = stored;
    if (this.events.has(position) || this.count >= KEPT_MAX) return;
    const [stream, type] = [shortened(stored.stream), shortened(stored.type)];
    const event = { stream, revision, type, reason };
    this.events.set(position, event);
    if (this.count <= LOGGED_MAX) this.log.error({ ...event, position: String(position) }, message);
    else if (this.count === LOGGED_MAX + 1)
      this.log.error({}, 'there are more events that are not ours; audit:verify lists them');
  }
}

/** For `/metrics`. Once. */
export function measureNotOurs(met: NotOurs): void {
  gauge({
    name: 'millrace_events_not_ours',
    help: `Stored events that this process has met and this installation has not written, or before which one of its own is missing; at most ${KEPT_MAX} are counted`,
    collect: (count) => count.set(met.count),
  });
}

/** Of what anybody may have written. */
export const shortened = (text: unknown): string => String(text).slice(0, TEXT_MAX);
