import { gauge } from '@app/platform';
import type { RecordedEvent } from '../event.js';
import { MetEvents, type MetEvent, type MetEventsLog } from '../met-events.js';

/** A program that writes into the store may never stop, so only so many are kept. */
const KEPT_MAX = 10_000;
const GAP = 'the event of ours before it in its event stream is missing or changed';

/**
 * The stored events that are not ours, and the gaps between ours. The log names each of them once.
 */
export class NotOurs {
  private readonly events: MetEvents;

  constructor(log: MetEventsLog) {
    const more = 'there are more events that are not ours; audit:verify lists them';
    this.events = new MetEvents(log, more, KEPT_MAX);
  }

  get count(): number {
    return this.events.count;
  }

  /** Lists them by position. */
  all(): readonly MetEvent[] {
    return this.events.all();
  }

  add(event: RecordedEvent, reason: string): void {
    this.events.add(
      event,
      reason,
      'a stored event was not written by this installation: it is passed over and changes nothing; another program, or a release from before events had MACs, writes into its event store (docs/operations.md, "Events that are not ours")',
    );
  }

  /** @param event one of ours, which stays valid */
  addGap(event: RecordedEvent): void {
    this.events.add(
      event,
      GAP,
      'events of this installation are missing, or were changed, in its event store; those that are there go on to hold (docs/operations.md, "Events that are not ours")',
    );
  }
}

/** Registers the metrics of foreign events. It is called once. */
export function measureNotOurs(met: NotOurs): void {
  gauge({
    name: 'millrace_events_not_ours',
    help: `Stored events that this process has met and this installation has not written, or before which one of its own is missing; at most ${KEPT_MAX} are counted`,
    collect: (count) => count.set(met.count),
  });
}
