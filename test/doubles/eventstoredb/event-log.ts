import { EventEmitter } from 'node:events';

/** One stored event, as the server keeps it. */
export interface LogRecord {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  readonly createdMs: number;
}

export type ProposedEvent = Pick<LogRecord, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

/** -2: any; -1: no stream; -4: the stream exists; otherwise its last revision. */
export type Expected = number;
export const EXPECTED = { any: -2, noStream: -1, streamExists: -4 } as const;

export type Appended =
  | { readonly revision: number; readonly position: bigint | undefined }
  | { readonly current: number };

/** Bytes of a record beside what it holds: positions are offsets in the log, with gaps. */
const OVERHEAD = 117;
/** The server writes about itself between the events of others. */
const STATISTICS_EVERY = 5;

/**
 * This log stores events as an EventStoreDB cluster does, in memory. It keeps the rules of appends
 * (expected revisions, repeats recognized by the events' ids) and of positions. The nodes of a
 * cluster share one.
 */
export class EventLog {
  private readonly records: LogRecord[] = [];
  private readonly streams = new Map<string, LogRecord[]>();
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private end = 0n;
  private count = 0;

  constructor() {
    this.write('$settings', about('$settings'));
  }

  /** Gives the log as it was when it had so many records. A restored copy of that day looks like this. */
  first(size: number): EventLog {
    const log = new EventLog();
    log.records.splice(0, Infinity, ...this.records.slice(0, size));
    log.end = this.records[size]?.position ?? this.end;
    log.streams.clear();
    for (const record of log.records)
      log.streams.set(record.stream, [...(log.streams.get(record.stream) ?? []), record]);
    return log;
  }

  append(stream: string, events: readonly ProposedEvent[], expected: Expected): Appended {
    const stored = this.streams.get(stream) ?? [];
    const current = stored.length - 1;
    if (expected === EXPECTED.any) {
      const at = stored.findIndex(({ id }) => id === events[0]?.id);
      if (at >= 0 && same(stored, at, events)) return repeated(at + events.length - 1);
    } else if (expected === EXPECTED.streamExists ? current < 0 : expected !== current) {
      if (expected >= -1 && expected < current && same(stored, expected + 1, events))
        return repeated(expected + events.length);
      return { current };
    }
    let last: LogRecord | undefined;
    for (const event of events) last = this.write(stream, event);
    this.count += 1;
    if (this.count % STATISTICS_EVERY === 0)
      this.write('$stats-127.0.0.1:2113', about('$statsCollected'));
    this.changes.emit('appended');
    return { revision: last?.revision ?? current, position: last?.position };
  }

  stream(name: string): readonly LogRecord[] | undefined {
    return this.streams.get(name);
  }

  /** @returns the index of the first record at or after a position. @throws where no record begins. */
  indexAt(position: bigint): number {
    let [low, high] = [0, this.records.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.records[middle]?.position ?? 0n) < position) low = middle + 1;
      else high = middle;
    }
    const found = this.records[low]?.position;
    if (position !== 0n && position !== this.end && found !== position)
      throw new Error(`no record begins at ${position}`);
    return low;
  }

  record(index: number): LogRecord | undefined {
    return this.records[index];
  }

  /** Makes the log that a copy of the server's files would have now. */
  copy(): EventLog {
    const copied = new EventLog();
    copied.records.splice(0, Infinity, ...this.records);
    for (const [name, stored] of this.streams) copied.streams.set(name, [...stored]);
    copied.end = this.end;
    copied.count = this.count;
    return copied;
  }

  get size(): number {
    return this.records.length;
  }

  onAppended(listener: () => void): () => void {
    this.changes.on('appended', listener);
    return () => void this.changes.off('appended', listener);
  }

  private write(stream: string, event: ProposedEvent): LogRecord {
    const stored = this.streams.get(stream) ?? [];
    this.streams.set(stream, stored);
    const record = {
      ...event,
      position: this.end,
      stream,
      revision: stored.length,
      createdMs: Date.now(),
    };
    stored.push(record);
    this.records.push(record);
    this.end += BigInt(OVERHEAD + stream.length + event.data.length + event.metadata.length);
    return record;
  }
}

/** The server does not always tell the position of a repeat. */
const repeated = (revision: number): Appended => ({ revision, position: undefined });

const same = (
  stored: readonly LogRecord[],
  from: number,
  events: readonly ProposedEvent[],
): boolean => events.every(({ id }, index) => stored[from + index]?.id === id);

const about = (type: string): ProposedEvent => ({
  id: crypto.randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: Buffer.from(''),
});
