import type { NewEvent, RecordedEvent } from './event.js';

/** A number is the exact revision of the stream's last event. */
export type ExpectedRevision = number | 'no-stream' | 'any';

export interface AppendResult {
  /** Revision of the last appended event. */
  readonly revision: number;
  /** Position of the last appended event. */
  readonly position: bigint;
}

/**
 * Append-only event storage, with optimistic concurrency by stream.
 *
 * Guarantees: when `append` resolves the events are on disk (fsync) and visible to every read;
 * the events of one append are stored together or not at all; positions never repeat and a
 * subscription delivers every event after its start exactly in position order.
 */
export abstract class EventStore {
  /** @throws {WrongExpectedRevisionError} when the stream is not at `expected` (and the ids are not already there). */
  abstract append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult>;
  /** Events of one stream; an unknown stream yields nothing. Default: forward from the start, no limit. */
  abstract read(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent>;
  /** Events of all streams, by position. `after`, an event's position, is exclusive both ways. */
  abstract readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent>;
  /** Catch-up: everything after the event at `after`, then live, until `signal` aborts. Never ends by itself. */
  abstract subscribe(options: SubscribeOptions): AsyncIterable<RecordedEvent>;
  /** Position of the last event, or undefined while the store is empty. */
  abstract lastPosition(): Promise<bigint | undefined>;
  abstract close(): Promise<void>;
  /**
   * The time when it stopped answering, in milliseconds since the epoch; undefined while it
   * answers.
   */
  get awaySince(): number | undefined {
    return undefined;
  }
}

/** A store whose files can be copied while it works. */
export interface CopiedEvents {
  /** Copies all events that exist at one moment of this call into an empty folder. */
  copyTo(directory: string): Promise<void>;
}

export interface ReadStreamOptions {
  readonly direction?: 'forward' | 'backward';
  /** First revision to read (inclusive). Default: the first (forward) or the last (backward). */
  readonly from?: number;
  readonly limit?: number;
}

export interface ReadAllOptions {
  readonly direction?: 'forward' | 'backward';
  readonly after?: bigint;
  readonly limit?: number;
}

export interface SubscribeOptions {
  readonly after?: bigint;
  readonly signal: AbortSignal;
}

export class WrongExpectedRevisionError extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** -1 when the stream does not exist. */
    readonly actual: number,
  ) {
    super(`stream ${stream} is at revision ${actual}, expected ${expected}`);
    this.name = 'WrongExpectedRevisionError';
  }
}
