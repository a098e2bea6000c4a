import { once, EventEmitter } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Database, type RangeOptions, type RootDatabase } from 'lmdb';
import { checkLmdbFile } from '@app/files';
import { certain, failedCommit } from '@app/platform';
import type { NewEvent, RecordedEvent } from '../event.js';
import {
  WrongExpectedRevisionError,
  type AppendResult,
  type CopiedEvents,
  type EventStore,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type SubscribeOptions,
} from '../event-store.js';
import { eventOf, isPosition, storedText } from './stored-event.js';

type Outcome = { readonly appended: AppendResult } | { readonly actual: number };

const APPENDED = 'appended';
const PAGE = 500;
const LAST = Number.MAX_SAFE_INTEGER;
const key = (stream: string, revision: number): [string, number] => [stream, revision];

/**
 * Events in an lmdb environment: by position, and an index from stream and revision and one from
 * stream and event id to the position. A write transaction checks the expected revision and
 * appends; lmdb runs one at a time, gathers those that wait into one commit and syncs it to disk
 * before their promises resolve.
 */
class EmbeddedEventStore implements EventStore, CopiedEvents {
  readonly awaySince = undefined;
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private readonly closing = new AbortController();
  /** Texts: see `stored-event.ts`. */
  private readonly events: Database<string, number>;
  private readonly positions: Database<number, [string, number]>;
  private readonly ids: Database<number, [string, string]>;

  constructor(private readonly environment: RootDatabase) {
    this.events = environment.openDB({ name: 'events', encoding: 'string' });
    this.positions = environment.openDB({ name: 'positions', encoding: 'ordered-binary' });
    this.ids = environment.openDB({ name: 'ids', encoding: 'ordered-binary' });
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    if (events.length === 0) throw new Error('an append needs at least one event');
    const outcome = await this.environment
      // A child transaction: one that fails half-way leaves nothing in the group's transaction.
      .childTransaction(() => this.appendNow(stream, events, expected))
      .catch(async (error: unknown) => {
        throw await failedCommit(error);
      });
    if ('actual' in outcome) throw new WrongExpectedRevisionError(stream, expected, outcome.actual);
    this.changes.emit(APPENDED);
    return outcome.appended;
  }

  async *read(stream: string, options: ReadStreamOptions = {}): AsyncIterable<RecordedEvent> {
    const { direction = 'forward', from, limit = Infinity } = options;
    const range =
      direction === 'backward'
        ? { start: key(stream, from ?? LAST), end: key(stream, -1), reverse: true }
        : { start: key(stream, from ?? 0), end: key(stream, LAST) };
    const bounded = limit === Infinity ? range : { ...range, limit };
    for (const { key: place, value } of [...this.positions.getRange(bounded)]) {
      const event = this.recorded(value);
      if (event.stream !== stream || event.revision !== place[1]) throw damaged(value);
      yield event;
    }
    await Promise.resolve();
  }

  async *readAll(options: ReadAllOptions = {}): AsyncIterable<RecordedEvent> {
    const { direction = 'forward', after, limit = Infinity } = options;
    const reverse = direction === 'backward';
    let left = limit;
    let start = after === undefined ? undefined : Number(after) + (reverse ? -1 : 1);
    for (;;) {
      const page = this.page({
        ...(start === undefined ? {} : { start }),
        reverse,
        limit: Math.min(PAGE, left),
      });
      for (const { key, value } of page) yield this.inPlace(sound(value, key));
      left -= page.length;
      const last = page.at(-1);
      if (!last || page.length < PAGE || left <= 0) return;
      start = last.key + (reverse ? -1 : 1);
      await Promise.resolve();
    }
  }

  async *subscribe({ after, signal }: SubscribeOptions): AsyncIterable<RecordedEvent> {
    const ended = AbortSignal.any([signal, this.closing.signal]);
    let seen = after;
    while (!ended.aborted) {
      const appended = once(this.changes, APPENDED, { signal: ended }).catch(() => undefined);
      for await (const event of this.readAll(seen === undefined ? {} : { after: seen })) {
        if (ended.aborted) return;
        yield event;
        seen = event.position;
      }
      await appended;
    }
  }

  lastPosition(): Promise<bigint | undefined> {
    const last = this.lastKey();
    return Promise.resolve(last === 0 ? undefined : BigInt(last));
  }

  /** Copies all events that exist at one moment of this call into an empty folder. */
  async copyTo(directory: string): Promise<void> {
    await this.environment.backup(directory, false);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.environment.close();
  }

  /** Runs inside the write transaction. */
  private appendNow(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Outcome {
    const actual = this.lastRevision(stream);
    const known = events.map((event) => this.ids.get([stream, event.id]));
    if (known.every((position) => position !== undefined)) {
      const position = certain(known.at(-1), 'event to append');
      return {
        appended: { revision: this.recorded(position).revision, position: BigInt(position) },
      };
    }
    const matches =
      expected === 'any' || (expected === 'no-stream' ? actual === -1 : expected === actual);
    if (!matches || known.some((position) => position !== undefined)) return { actual };
    let position = this.lastKey();
    let revision = actual;
    for (const { id, type, data, metadata } of events) {
      position += 1;
      revision += 1;
      const text = storedText({ id, type, data, metadata, stream, revision });
      this.events.putSync(position, text);
      this.positions.putSync([stream, revision], position);
      this.ids.putSync([stream, id], position);
    }
    return { appended: { revision, position: BigInt(position) } };
  }

  private recorded(position: number): RecordedEvent {
    const [found] = this.page({ start: position, limit: 1 });
    if (found?.key !== position) throw damaged(position);
    return sound(found.value, position);
  }

  /**
   * An event is at one position, and after the one before it in its stream: otherwise somebody with
   * the files, but without the key, could make past events happen again.
   */
  private inPlace(event: RecordedEvent): RecordedEvent {
    const { stream, revision } = event;
    const position = Number(event.position);
    const before = revision === 0 ? 0 : this.positions.get(key(stream, revision - 1));
    const own = this.positions.get(key(stream, revision));
    if (own !== position || before === undefined || before >= position) throw damaged(position);
    return event;
  }

  private page(range: RangeOptions): { key: number; value: string }[] {
    try {
      return [...this.events.getRange(range)];
    } catch (error) {
      throw damaged(range.start as number | undefined, error);
    }
  }

  /** Positions count from 1. */
  private lastKey(): number {
    for (const key of this.events.getKeys({ reverse: true, limit: 1 })) {
      if (!isPosition(key)) throw damaged();
      return key;
    }
    return 0;
  }

  private lastRevision(stream: string): number {
    const range = { start: key(stream, LAST), end: key(stream, -1) };
    for (const [, revision] of this.positions.getKeys({ ...range, reverse: true, limit: 1 }))
      return revision;
    return -1;
  }
}

/** @throws {Error} when the bytes are not those that were stored */
function sound(text: string, position: number): RecordedEvent {
  let event: RecordedEvent | undefined;
  try {
    event = eventOf(text, position);
  } catch (error) {
    throw damaged(position, error);
  }
  if (!event) throw isPosition(position) ? damaged(position) : damaged();
  return event;
}

function damaged(position = 1, cause?: unknown): Error {
  return new Error(
    `the event store (events/data.mdb) is damaged: what is stored at or after position ${position} is not what was written; restore it from the last backup, together with the rest of the data directory (docs/operations.md, "Backup and restore")`,
    { cause },
  );
}

/**
 * @param options.directory absolute; created when missing
 * @throws {Error} when its content is cut off or damaged
 */
export function openEmbeddedEventStore({
  directory,
}: {
  readonly directory: string;
}): EmbeddedEventStore {
  mkdirSync(directory, { recursive: true });
  checkLmdbFile(join(directory, 'data.mdb'));
  // overlappingSync would resolve writes before they are on disk.
  return new EmbeddedEventStore(open({ path: directory, maxDbs: 4, overlappingSync: false }));
}
