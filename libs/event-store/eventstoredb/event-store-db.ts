import { setMaxListeners } from 'node:events';
import {
  jsonEvent,
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
import { RetryPolicy, unlessSilent } from './retry-policy.js';
import { Presence, type PresenceLog } from './presence.js';
import { LogReader } from './log-reader.js';
import { PassedOver } from './passed-over.js';
import { storable, toExpected } from './client-values.js';
import { NodeLeaver, soundClient } from './sound-client.js';
import { StreamNames } from './stream-names.js';

interface EventStoreDbOptions {
  /** `esdb://user:password@host:2113?tls=true`, or with several hosts, or `esdb+discover://…`. */
  readonly url: string;
  readonly log: PresenceLog;
  /** The beginning of our streams' names. The default is `millrace`. */
  readonly namespace?: string;
  /** An operation is tried again for so long after the server last answered. Default 20 s. */
  readonly maxWaitMs?: number;
  /**
   * An absolute path of the file that keeps how far others' events were skipped. Without it, that
   * is not kept.
   */
  readonly positionFile?: string;
  /** The server may take so long for one answer. Default 5 s. */
  readonly silenceMs?: number;
}

const DEFAULTS = { namespace: 'millrace', maxWaitMs: 20_000, silenceMs: 5_000 };
/** A close may take so long to store its position. */
const CLOSE_MS = 500;
/** This many events are searched backwards for a repeated append. */
const LOOK_BACK = 500;

/**
 * Events in EventStoreDB. Whatever fails on the way is tried again for a while: appends carry the
 * events' ids, so that one whose answer was lost is not stored twice; reads and subscriptions go
 * on after the last event they gave.
 */
class EventStoreDb implements EventStore {
  private readonly client: EventStoreDBClient;
  private readonly names: StreamNames;
  private readonly closing = new AbortController();
  private readonly presence: Presence;
  private readonly reader: LogReader;
  /** Resolves when it is known how far earlier processes have read. */
  private readonly loaded: Promise<void>;
  private readonly silenceMs: number;
  private readonly leaver: NodeLeaver;

  constructor(options: EventStoreDbOptions) {
    const { positionFile } = options;
    const { url, log, namespace, maxWaitMs, silenceMs } = { ...DEFAULTS, ...options };
    setMaxListeners(0, this.closing.signal);
    this.client = soundClient(url);
    this.leaver = new NodeLeaver(this.client);
    this.names = new StreamNames(namespace);
    this.silenceMs = silenceMs;
    const { signal } = this.closing;
    const probe = (): Promise<void> => this.reader.probe();
    this.presence = new Presence({ maxWaitMs, probe, log, signal });
    const { client, names, presence } = this;
    const passed = new PassedOver(names.prefix, positionFile);
    this.reader = new LogReader({ client, names, presence, silenceMs, signal, passed });
    this.loaded = this.reader.loadPosition();
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
    const retryPolicy = this.retryPolicy();
    retryPolicy.begin();
    for (let uncertain = false; ; uncertain = true) {
      // The server recognizes a repeat for certain only where a revision is expected.
      const done = uncertain ? await this.find(stream, events, retryPolicy) : undefined;
      if (done) return done;
      try {
        const { nextExpectedRevision } = await unlessSilent(
          this.silenceMs,
          this.client.appendToStream(this.names.stored(stream), stored, {
            expectedRevision: toExpected(expected),
            requiresLeader: true,
            // The deadline comes after the end of our own retry policy, which knows what the
            // failure was.
            deadline: 2 * this.silenceMs,
          }),
        );
        retryPolicy.reset();
        return await this.written(stream, events, Number(nextExpectedRevision), retryPolicy);
      } catch (error) {
        if (error instanceof WrongExpectedVersionError) this.presence.heard();
        if (error instanceof WrongExpectedVersionError)
          return await this.conflict(stream, events, expected, error);
        await retryPolicy.after(error);
      }
    }
  }

  read(
    stream: string,
    options: ReadStreamOptions = {},
    retryPolicy = this.retryPolicy(),
  ): AsyncIterable<RecordedEvent> {
    return this.reader.read(stream, options, retryPolicy);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncIterable<RecordedEvent> {
    await this.loaded;
    yield* this.reader.readAll(options, this.retryPolicy());
  }

  async *subscribe({ after, signal }: SubscribeOptions): AsyncIterable<RecordedEvent> {
    await this.loaded;
    const ended = AbortSignal.any([signal, this.closing.signal]);
    yield* this.reader.subscribe(after, ended, this.retryPolicy(true, ended));
  }

  async lastPosition(): Promise<bigint | undefined> {
    await this.loaded;
    return this.reader.lastPosition(this.retryPolicy());
  }

  async close(): Promise<void> {
    if (this.awaySince === undefined)
      await unlessSilent(CLOSE_MS, this.reader.keepPosition()).catch(() => undefined);
    this.closing.abort();
    // It cancels every call at once. Then it would wait for ever for streams that nobody reads.
    this.client.dispose().catch(() => undefined);
  }

  /** The result for events that have just been stored, or were there already. */
  private async written(
    stream: string,
    events: readonly NewEvent[],
    revision: number,
    retryPolicy: RetryPolicy,
  ): Promise<AppendResult> {
    // Versions of the server differ in the position that they tell after a write; a read does not.
    for await (const event of this.read(stream, { from: revision, limit: 1 }, retryPolicy))
      if (event.id === events.at(-1)?.id) return { revision, position: event.position };
    const found = await this.find(stream, events, retryPolicy);
    if (found) return found;
    throw new Error(`the event store acknowledged an append to ${stream} and does not have it`);
  }

  /** Finds the events among the stream's last ones, if all of them are there. */
  private async find(
    stream: string,
    events: readonly NewEvent[],
    retryPolicy = this.retryPolicy(),
  ): Promise<AppendResult | undefined> {
    const wanted = new Set(events.map(({ id }) => id));
    let last: AppendResult | undefined;
    const options = { direction: 'backward', limit: LOOK_BACK } as const;
    for await (const event of this.read(stream, options, retryPolicy)) {
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

  private retryPolicy(endless = false, signal = this.closing.signal): RetryPolicy {
    const leaveNode = (): void => this.leaver.leave();
    return new RetryPolicy({ endless, signal, presence: this.presence, leaveNode });
  }
}

/** @throws {Error} when the URL cannot be used. */
export function openEventStoreDb(options: EventStoreDbOptions): EventStoreDb {
  return new EventStoreDb(options);
}
