import type { RecordedEvent } from '../event.js';

/**
 * Tells the lanes of an event. Events of one lane are applied in their order, those of different
 * lanes side by side. An event with several lanes waits in each of them; one with none is not given.
 * It is asked once for each event, in order of position.
 */
export type Lanes = (this: void, event: RecordedEvent) => readonly string[];

/**
 * A read model. Gets every event once, from where it resumes: in order of position, or, of live
 * events, in the order of their lanes.
 */
export interface Projection {
  readonly name: string;
  apply(event: RecordedEvent): void | Promise<void>;
  /**
   * Lets live events be applied side by side. Neighbours with the same lanes are one stage: they
   * get an event one after the other before they get the next event of its lane. The projections
   * before the first such stage get all events in order, and may be ahead of it.
   */
  readonly lanes?: Lanes;
  /**
   * Tells that this projection may have a live event before the stages before it have it. Otherwise
   * later events of its lanes would wait for them, too.
   */
  goesAhead?(event: RecordedEvent): boolean;
  /**
   * Is called once, before any event is read. The projection may look at its tables then: they are
   * not newer than the events that it gets.
   */
  starting?(): void | Promise<void>;
  /**
   * Asks once, at start, for the position up to which the projection has all events. A projection
   * without it gets all events.
   * @param last position of the store's last event; 0 when there is none
   */
  resumeAfter?(last: bigint): bigint | Promise<bigint>;
  /**
   * Writes the events that it was given in a lane, in groups: events that come meanwhile belong to
   * the next group. Several lanes may be written at a time. No command waits for it; readers of its
   * tables do.
   */
  writeGroup?(lane: string): Promise<void>;
  /**
   * Tells whether commands are refused while writing fails in a lane: whether it would get what they
   * append. Without it, all are.
   * @param lanes of what a command is about to append, as `byOrganization` tells them
   */
  concerns?(lane: string, lanes: readonly string[]): boolean;
  /**
   * Is called once, when all events that were stored at start have been applied. Later events are
   * live.
   */
  caughtUp?(): void | Promise<void>;
}

/** A read model in memory that need not be made from all events at every start. */
export interface SnapshottedProjection extends Projection {
  /**
   * Must be raised whenever the same events lead to another state. Older snapshots are then not
   * used.
   */
  readonly snapshotVersion: number;
  /**
   * Everything that the projection knows, as JSON. Sealed values of events must stay sealed. It is
   * undefined where none may be kept, because events must be given again.
   */
  snapshot(): unknown;
  /**
   * Tells whether everything is written that the projection had written when the snapshot was kept.
   * Otherwise the snapshot is not used, and all events are given again.
   * @param state the result of `snapshot`
   */
  isWritten?(state: unknown): Promise<boolean>;
  /** Takes over the result of `snapshot`. It may be called only before the first event. */
  restore(state: unknown): void;
}

export function isSnapshotted(projection: Projection): projection is SnapshottedProjection {
  return 'snapshotVersion' in projection;
}
