import { KeyedCounter } from '@app/flow';
import type { QueueDepth } from '../ingest-queue.js';
import { admit } from '../queue-room.js';

/**
 * Lines that are not compressed get this share of the room, because they take several times as much
 * of it as others.
 */
const PLAIN_SHARE = 8;

/** Counts the waiting bytes, in total and for each owner. */
export class WaitingRecords {
  private records = 0;
  private bytes = 0;
  private readonly bytesOf = new KeyedCounter();

  /** @param maxBytes the limit of the waiting payload */
  constructor(private readonly maxBytes: number) {}

  depth(): QueueDepth {
    return { records: this.records, bytes: this.bytes };
  }

  /** The bytes of lines that are not compressed for which there is room now. */
  get plainBytesMax(): number {
    return Math.max(0, this.maxBytes / PLAIN_SHARE - this.bytes);
  }

  /**
   * Adds records.
   * @throws {QueueFullError} when there is no room for them
   */
  admit(owner: string | undefined, records: number, bytes: number): void {
    const own = owner === undefined ? 0 : this.bytesOf.of(owner);
    admit({ maxBytes: this.maxBytes, waiting: this.bytes, own, bytes });
    this.grow(owner, records, bytes);
  }

  /**
   * Counts records that exist already, without a limit. A negative number counts records that are
   * gone.
   */
  grow(owner: string | undefined, records: number, bytes: number): void {
    this.records += records;
    this.bytes += bytes;
    if (owner !== undefined) this.bytesOf.add(owner, bytes);
  }
}
