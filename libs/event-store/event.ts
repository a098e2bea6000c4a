/** Metadata kept with every event. Names with `$` are EventStoreDB's own conventions. */
export interface EventMetadata {
  readonly $correlationId: string;
  readonly $causationId: string;
  /**
   * A fingerprint of what the request asked for, if it had an `Idempotency-Key`. Another request
   * under the same key is told from a repetition by it.
   */
  readonly contentFingerprint?: string;
  /** User id, `system` or `anonymous`. */
  readonly actor: string;
  /** The id of the organization the command was asked of, when there is one. */
  readonly organizationId?: string;
  /** Address and user agent the request came from, sealed for its actor. */
  readonly client?: string;
  readonly requestId?: string;
  /** The version of the fields in `data`; each type counts its own. Absent: 1. */
  readonly schemaVersion?: number;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  /**
   * The MAC of our event before it in its stream; empty for the first one. Absent: the event is
   * from before MACs.
   */
  readonly previousMac?: string;
  /** The MAC over the rest of the event: see `event-mac.ts`. */
  readonly mac?: string;
}

export interface NewEvent<Type extends string = string, Data = unknown> {
  /** UUID. Appending the same id to the same stream again is a no-op that answers the first result. */
  readonly id: string;
  readonly type: Type;
  readonly data: Data;
  readonly metadata: EventMetadata;
}

export interface RecordedEvent<Type extends string = string, Data = unknown> extends NewEvent<
  Type,
  Data
> {
  readonly stream: string;
  /** 0-based index in its stream. */
  readonly revision: number;
  /** Place in the whole store; greater is later. Opaque beyond its order. */
  readonly position: bigint;
  /**
   * The event as it was stored, if it is read as something else: see `left-out-events.ts`,
   * `understood-events.ts`.
   */
  readonly original?: RecordedEvent;
  /**
   * The reason why this program does not understand it. The event then has no content, and no
   * decision may rest on it.
   */
  readonly notUnderstood?: string;
  /**
   * The reason why it is known that this installation did not write it. The event then has no
   * content.
   */
  readonly notOurs?: string;
  /**
   * The current events that an old event became, if it became several. The event itself then has no
   * content.
   */
  readonly steps?: readonly RecordedEvent[];
}

/** Gives the events that aggregates and read models get for an event, one after the other. */
export const stepsOf = (event: RecordedEvent): readonly RecordedEvent[] => event.steps ?? [event];
