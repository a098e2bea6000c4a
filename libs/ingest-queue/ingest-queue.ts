/** A record that a producer hands to the queue. */
export interface QueueRecord {
  /** Records with one key keep their order. */
  readonly key: string;
  /** A small text in UTF-8. `libs/writer/batch.ts` defines its content. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Payload;
  /**
   * The owner of the record. No owner gets all the room; see `whyNoRoom`. Undefined means nobody.
   * It is not delivered.
   */
  readonly owner?: string;
}

/**
 * Bytes, or a file that holds them (absolute path). The queue takes over the file: it is moved, not
 * copied. A delivered file belongs to the queue and is gone after the commit.
 */
export type Payload = { readonly bytes: Uint8Array } | { readonly file: string };

export interface QueuePosition {
  /** A number that no partition of another queue has, including earlier queues in this place. */
  readonly partition: number;
  /**
   * It grows by at least one for each record within a partition, and is never reused, not even
   * after a crash.
   */
  readonly offset: bigint;
}

/**
 * The name of an append, so that it happens once. The name is kept, with the answer, for
 * {@link NAMES_KEPT_MS}.
 */
export interface NamedAppend extends AppendName {
  /**
   * Earlier appends whose names are kept as long as this one's from now on. A client that repeats
   * its request is answered through them, in this order. All appends that may use any of these
   * names have the first of them in common.
   */
  readonly renews?: readonly KeptAppend[];
}

interface AppendName {
  readonly name: string;
  /** The fingerprint of the append. Another fingerprint under the same name is another append. */
  readonly fingerprint: string;
  /** The answer for a client that repeats the request. The queue does not read it. */
  readonly answer: string;
}

/** An earlier append under this name. */
export interface KeptAppend extends AppendName {
  /** The position of its last record; undefined when it had none. */
  readonly position: QueuePosition | undefined;
}

export const NAMES_KEPT_MS = 24 * 60 * 60 * 1000;

/** The limit for the age of what is known about another process's commits. */
export const WRITTEN_KNOWN_MS = 500;

export interface QueuedRecord extends QueueRecord {
  readonly position: QueuePosition;
}

/**
 * The durable hand-over between acceptance and the writers.
 *
 * Guarantees: when `append` resolves, all its records are on disk (fsync) and will be delivered
 * until committed, whatever crashes; the records of one append become visible together or not at
 * all; a consumer that restarts gets every record that was not committed again, those of a key in
 * order.
 */
export abstract class IngestQueue {
  /** Tells whether other processes put records there too. */
  abstract readonly isShared: boolean;
  /**
   * @throws {QueueFullError} when the records, all of one owner, would exceed the queue's bound or
   * the owner's share of it, and {MillraceError}
   * DISK_FULL when the disk is full; nothing is stored then.
   * @throws {AlreadyAppendedError} when there was an append of this name, whatever was in it, or
   * another one than it renews under a name that it renews: that one's name was free again meanwhile
   */
  abstract append(
    records: readonly QueueRecord[],
    once?: NamedAppend,
  ): Promise<readonly QueuePosition[]>;
  /** The append of this name within {@link NAMES_KEPT_MS}, if there was one. */
  abstract appended(name: string): Promise<KeptAppend | undefined>;
  /**
   * The number of bytes that one record's payload may have. A larger payload must be split before.
   */
  abstract readonly payloadBytesMax: number;
  /**
   * The number of bytes of lines that may come uncompressed now, on their way and on the queue. It
   * is 0 where their compression costs less than it spares.
   */
  abstract plainBytesMax(): number;
  /**
   * Delivers records that are not committed, those of a key oldest first, and waits for more until
   * `signal` aborts. A delivery has at most `maxRecords` records and about `maxBytes` of payload,
   * at least one record, and records of one partition only, by their offsets.
   */
  abstract consume(options: ConsumeOptions): AsyncIterable<Delivery>;
  /**
   * Tells how far the records of this key are committed, by whatever process: all of them before
   * this offset are in the warehouse, or were set aside, and none before it comes any more. What was committed elsewhere is known within {@link WRITTEN_KNOWN_MS}.
   * @throws {MillraceError} QUEUE_UNAVAILABLE
   */
  abstract written(key: string): Promise<QueuePosition>;
  /** Resolves when the record at `position` is committed, by whatever process. */
  abstract awaitCommitted(position: QueuePosition): Promise<void>;
  /**
   * Tells whether the record at `position`, or one of its partition since the offset `first`, was
   * set aside by the process that committed it. This is known for a limited time only.
   */
  abstract wasSetAside(position: QueuePosition, first: bigint): boolean;
  /** Resolves when all that was appended before this call is committed. */
  abstract awaitAllCommitted(): Promise<void>;
  /**
   * The number of records that are appended and not committed yet. It is approximate if other
   * processes append too.
   */
  abstract depth(): QueueDepth;
  /**
   * The number of records that are appended and not committed yet, by partition as the queue counts
   * them. It is approximate, too.
   */
  abstract lag(): ReadonlyMap<number, number>;
  /** Resolves if the queue can be reached now. @throws {MillraceError} QUEUE_UNAVAILABLE */
  abstract reach(): Promise<void>;
  abstract close(): Promise<void>;
}

export interface ConsumeOptions {
  readonly signal: AbortSignal;
  readonly maxRecords: number;
  readonly maxBytes: number;
}

export interface Delivery {
  readonly partition: number;
  /**
   * The number of the partition's assignment to this consumer, which grows with each assignment.
   * The consumer before may still be at work, and its writes under an older epoch must not count.
   * It is undefined if no other consumer can have had the partition.
   */
  readonly epoch: bigint | undefined;
  readonly records: readonly QueuedRecord[];
  /**
   * Durably marks these records as done. They are not delivered again, unless the partition was
   * taken away meanwhile. The caller must await it, or {@link release}, before taking the next
   * delivery.
   * @param setAside the records that could not be written; callers that wait for them are told so
   */
  commit(setAside?: readonly QueuePosition[]): Promise<void>;
  /**
   * Gives the records back without a commit. The next consumer of the partition gets them, under a
   * new epoch.
   */
  release(): Promise<void>;
}

export interface QueueDepth {
  readonly records: number;
  readonly bytes: number;
}

export class QueueFullError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'QueueFullError';
  }
}

export class AlreadyAppendedError extends Error {
  constructor(readonly kept: KeptAppend) {
    super('there was an append of this name');
    this.name = 'AlreadyAppendedError';
  }
}
