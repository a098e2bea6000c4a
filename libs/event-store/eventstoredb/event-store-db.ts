import { setMaxListeners } from 'node:events';
import {
  BACKWARDS,
  END,
  FORWARDS,
  jsonEvent,
  START,
  streamNameFilter,
  StreamNotFoundError,
  WrongExpectedVersionError,
  type EventStoreDBClient,
  type JSONEventType,
} from '@eventstore/db-client';
import type { NewEvent, RecordedEvent } from '../event.js';
import {
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type SubscribeOptions,
} from '../event-store.js';
import { Patience, within } from './patience.js';
import { Presence, type PresenceLog } from './presence.js';
import { pull, type Source } from './pull.js';
import { at, storable, toExpected } from './client-values.js';
import { soundClient } from './sound-client.js';
import { StreamNames } from './stream-names.js';

export interface EventStoreDbOptions {
  /** `esdb://user:password@host:2113?tls=true`, or with several hosts, or `esdb+discover://…`. */
  readonly url: string;
  readonly log: PresenceLog;
  /** What our streams' names begin with. Default `millrace`. */
  readonly namespace?: string;
  /** How long an operation is tried again from when the server was there last. Default 20 s. */
  readonly patienceMs?: number;
  /** How long the server may take for one answer. Default 5 s. */
  readonly silenceMs?: number;
}

const DEFAULTS = { namespace: 'millrace', patienceMs: 20_000, silenceMs: 5_000 };
/** Events the server looks at before it tells a filtered subscription how far it is. */
const SEARCH_WINDOW = 32;
/** How far back a repeated append is looked for. */
const LOOK_BACK = 500;

/** Where a reading goes on after what it has given so far. */
type Open = (seen: RecordedEvent | undefined, count: number) => Source | undefined;

/**
 * Events in EventStoreDB. Whatever fails on the way is tried again for a while: appends carry the
 * events' ids, so that one whose answer was lost is not stored twice; reads and subscriptions go
 * on after the last event they gave.
 */
export class EventStoreDb implements EventStore {
  private readonly client: EventStoreDBClient;
  private readonly names: StreamNames;
  private readonly closing = new AbortController();
  private readonly presence: Presence;
  private readonly silenceMs: number;

  constructor(options: EventStoreDbOptions) {
    const { url, log, namespace, patienceMs, silenceMs } = { ...DEFAULTS, ...options };
    setMaxListeners(0, this.closing.signal);
    this.client = soundClient(url);
    this.names = new StreamNames(namespace);
    this.silenceMs = silenceMs;
    const { signal } = this.closing;
    const probe = (): Promise<void> => this.probe();
    this.presence = new Presence({ patienceMs, probe, log, signal });
  }

  get awaySince(): number | undefined {
    return this.presence.awaySince;
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    if (events.length === 0) throw new Error('an append needs at least one event');
    const stored = events.map(({ id, type, data, metadata }) =>
      jsonEvent<JSONEventType>({ id, type, data: storable(data), metadata: { ...metadata } }),
    );
    const patience = this.patience();
    patience.begin();
    for (let uncertain = false; ; uncertain = true) {
      // The server recognizes a repeat for certain only where a revision is expected.
      const done = uncertain ? await this.find(stream, events, patience) : undefined;
      if (done) return done;
      try {
        const { nextExpectedRevision } = await within(
          this.silenceMs,
          this.client.appendToStream(this.names.stored(stream), stored, {
            expectedRevision: toExpected(expected),
            requiresLeader: true,
            // After our own patience, which tells what it was.
            deadline: 2 * this.silenceMs,
          }),
        );
        patience.reset();
        return await this.written(stream, events, Number(nextExpectedRevision), patience);
      } catch (error) {
        if (error instanceof WrongExpectedVersionError) this.presence.heard();
        if (error instanceof WrongExpectedVersionError)
          return await this.conflict(stream, events, expected, error);
        await patience.after(error);
      }
    }
  }

  read(
    stream: string,
    options: ReadStreamOptions = {},
    patience = this.patience(),
  ): AsyncIterable<RecordedEvent> {
    const { direction = 'forward', from, limit = Infinity } = options;
    const backward = direction === 'backward';
    const begin = from === undefined ? (backward ? END : START) : BigInt(from);
    return this.reading(limit, patience, (seen, count) => {
      if (backward && seen?.revision === 0) return undefined;
      return this.client.readStream(this.names.stored(stream), {
        direction: backward ? BACKWARDS : FORWARDS,
        fromRevision: seen ? BigInt(seen.revision + (backward ? -1 : 1)) : begin,
        maxCount: Math.min(limit - count, Number.MAX_SAFE_INTEGER),
        requiresLeader: true,
      });
    });
  }

  async *readAll(options: ReadAllOptions = {}): AsyncIterable<RecordedEvent> {
    const { direction = 'forward', after, limit = Infinity } = options;
    const backward = direction === 'backward';
    const events = this.reading(Infinity, this.patience(), (seen) =>
      this.client.readAll({
        direction: backward ? BACKWARDS : FORWARDS,
        fromPosition: at(seen?.position ?? after) ?? (backward ? END : START),
        requiresLeader: true,
      }),
    );
    let mark = after;
    let count = 0;
    for await (const event of events) {
      // Forward, the server gives the event at the position itself too.
      if (mark !== undefined && (backward ? event.position >= mark : event.position <= mark))
        continue;
      yield event;
      mark = event.position;
      count += 1;
      if (count === limit) return;
    }
  }

  async *subscribe({ after, signal }: SubscribeOptions): AsyncIterable<RecordedEvent> {
    const ended = AbortSignal.any([signal, this.closing.signal]);
    const patience = this.patience(true, ended);
    const filter = streamNameFilter({
      prefixes: [this.names.prefix],
      maxSearchWindow: SEARCH_WINDOW,
    });
    let seen = after;
    while (!ended.aborted) {
      const source = this.client.subscribeToAll({ fromPosition: at(seen) ?? START, filter });
      try {
        for await (const resolved of pull(source, { signal: ended })) {
          patience.reset();
          const event = this.names.recorded(resolved);
          if (!event || (seen !== undefined && event.position <= seen)) continue;
          yield event;
          seen = event.position;
        }
        if (!ended.aborted) throw new Error('the event store ended a subscription');
      } catch (error) {
        if (!ended.aborted) await patience.after(error);
      }
    }
  }

  async lastPosition(): Promise<bigint | undefined> {
    for await (const { position } of this.readAll({ direction: 'backward', limit: 1 }))
      return position;
    return undefined;
  }

  close(): Promise<void> {
    this.closing.abort();
    // It cancels every call at once; then it waits for streams that nobody reads, for ever.
    this.client.dispose().catch(() => undefined);
    return Promise.resolve();
  }

  /** What `open` gives, and after a failure what it gives from the last event on. */
  private async *reading(
    limit: number,
    patience: Patience,
    open: Open,
  ): AsyncIterable<RecordedEvent> {
    const { signal } = this.closing;
    let seen: RecordedEvent | undefined;
    let count = 0;
    patience.begin();
    while (count < limit) {
      const source = open(seen, count);
      if (!source) return;
      try {
        for await (const resolved of pull(source, { silenceMs: this.silenceMs, signal })) {
          const event = this.names.recorded(resolved);
          if (!event) continue;
          patience.reset();
          yield event;
          seen = event;
          count += 1;
        }
        if (signal.aborted) throw new Error('the event store was closed during a read');
        this.presence.heard();
        return;
      } catch (error) {
        if (error instanceof StreamNotFoundError) this.presence.heard();
        if (error instanceof StreamNotFoundError) return;
        await patience.after(error);
      }
    }
  }

  /** The result for events that have just been stored, or were there already. */
  private async written(
    stream: string,
    events: readonly NewEvent[],
    revision: number,
    patience: Patience,
  ): Promise<AppendResult> {
    // Versions of the server differ in the position that they tell after a write; a read does not.
    for await (const event of this.read(stream, { from: revision, limit: 1 }, patience))
      if (event.id === events.at(-1)?.id) return { revision, position: event.position };
    const found = await this.find(stream, events, patience);
    if (found) return found;
    throw new Error(`the event store acknowledged an append to ${stream} and does not have it`);
  }

  /** Where the events are when all of them are among the stream's last. */
  private async find(
    stream: string,
    events: readonly NewEvent[],
    patience = this.patience(),
  ): Promise<AppendResult | undefined> {
    const wanted = new Set(events.map(({ id }) => id));
    let last: AppendResult | undefined;
    const options = { direction: 'backward', limit: LOOK_BACK } as const;
    for await (const event of this.read(stream, options, patience)) {
      const { revision, position } = event;
      if (!wanted.delete(event.id)) continue;
      last ??= { revision, position };
      if (wanted.size === 0) return last;
    }
    return undefined;
  }

  private async conflict(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    { actualVersion }: WrongExpectedVersionError,
  ): Promise<AppendResult> {
    const found = await this.find(stream, events);
    if (found) return found;
    const actual = typeof actualVersion === 'bigint' ? Number(actualVersion) : -1;
    throw new WrongExpectedRevisionError(stream, expected, actual);
  }

  /** @throws when the leader does not answer */
  private async probe(): Promise<void> {
    const { signal } = this.closing;
    const last = this.client.readAll({
      direction: BACKWARDS,
      fromPosition: END,
      maxCount: 1,
      requiresLeader: true,
    });
    for await (const _ of pull(last, { silenceMs: this.silenceMs, signal })) return;
  }

  private patience(endless = false, signal = this.closing.signal): Patience {
    return new Patience({ endless, signal, presence: this.presence });
  }
}

/** @throws {Error} when the URL cannot be used. */
export function openEventStoreDb(options: EventStoreDbOptions): EventStoreDb {
  return new EventStoreDb(options);
}
