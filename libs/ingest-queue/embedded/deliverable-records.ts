import { join } from 'node:path';
import { certain } from '@app/platform';
import type { Payload } from '../ingest-queue.js';
import {
  NEXT_OFFSET,
  type QueueDatabases,
  type StoredRecord,
  type Waiting,
} from './done-records.js';
import { WaitingTurns } from './waiting-turns.js';

interface Most {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** A file that is not compressed has about so many times as many bytes. */
const PLAIN_TIMES = 4;

/** Hands out the records that wait, in turns. */
export class DeliverableRecords {
  private readonly turns = new WaitingTurns();
  /** No record up to this offset is new. */
  private seen = 0;

  constructor(
    private readonly databases: QueueDatabases,
    private readonly payloads: string,
  ) {}

  /** Reads all records, at the start. */
  readAll(each: (record: StoredRecord) => void): void {
    this.look(each);
    this.seen = (this.databases.counters.get(NEXT_OFFSET) ?? 1) - 1;
  }

  /** Reads the records that were appended since the last time. They are on disk. */
  look(each?: (record: StoredRecord) => void): void {
    const { records } = this.databases;
    for (const { key: offset, value } of records.getRange({ start: this.seen + 1 })) {
      this.turns.add(value, offset);
      this.seen = offset;
      each?.(value);
    }
  }

  /**
   * The records of the next turn, by offset; at least one if any wait. Who has the turn comes first
   * where there is not room for all bytes.
   */
  take({ maxRecords, maxBytes }: Most): readonly Waiting[] {
    const taken: Waiting[] = [];
    let bytes = 0;
    for (const offset of this.turns.next(maxRecords)) {
      const value = certain(this.databases.records.get(offset), `record ${offset} of the queue`);
      const size = compressedSize(value);
      if (taken.length > 0 && bytes + size > maxBytes) break;
      bytes += size;
      taken.push({ offset, value });
    }
    return taken.sort((one, other) => one.offset - other.offset);
  }

  /** Ends the turn of records that are done. */
  done(records: readonly Waiting[]): void {
    this.turns.done(new Map(records.map(({ offset, value }) => [value.key, offset])));
  }

  payload({ file, bytes }: StoredRecord): Payload {
    return file === undefined
      ? { bytes: bytes ?? new Uint8Array() }
      : { file: join(this.payloads, file) };
  }

  /** No record of the key before this offset waits, and none comes any more. */
  writtenTo(key: string): number {
    return this.turns.first(key) ?? this.seen + 1;
  }

  /** Tells whether the record with this offset was there and is done. */
  isDone(offset: bigint): boolean {
    return offset <= this.seen && !this.databases.records.doesExist(Number(offset));
  }
}

/** The size by which a turn is bounded: what is read into memory, or tells how long its insert takes. */
const compressedSize = ({ file, size }: StoredRecord): number =>
  file === undefined || file.endsWith('.zst') ? size : size / PLAIN_TIMES;
