import { setImmediate as turn } from 'node:timers/promises';
import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  streamNameFilter,
  StreamNotFoundError,
  type AllStreamSubscription,
  type EventStoreDBClient,
  type Position,
  type ResolvedEvent,
} from '@eventstore/db-client';
import type { RecordedEvent } from '../event.js';
import type { ReadAllOptions, ReadStreamOptions } from '../event-store.js';
import type { PassedOver, Witness } from './passed-over.js';
import type { RetryPolicy } from './retry-policy.js';
import type { Presence } from './presence.js';
import { pull, type Source } from './pull.js';
import type { StreamNames } from './stream-names.js';

interface LogReaderOptions {
  readonly client: EventStoreDBClient;
  readonly names: StreamNames;
  readonly presence: Presence;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  readonly passed: PassedOver;
}

/** The place where a reading goes on after the events that it has given. */
type Open = (seen: RecordedEvent | undefined, count: number) => Source | undefined;

/** Is called with the position of each event of other writers. @returns true to stop the reading */
type Foreign = (position: Position) => boolean;

/**
 * The number of events that the server filters before it reports its progress to a subscription.
 */
const SEARCH_WINDOW = 32;

/**
 * Reads and follows our events among those of others. After a failure it goes on from the last
 * event.
 */
export class LogReader {
  constructor(private readonly options: LogReaderOptions) {}

  read(
    stream: string,
    { direction = 'forward', from, limit = Infinity }: ReadStreamOptions,
    retryPolicy: RetryPolicy,
  ): AsyncIterable<RecordedEvent> {
    const { client, names } = this.options;
    const backward = direction === 'backward';
    const begin = from === undefined ? (backward ? END : START) : BigInt(from);
    return this.reading(limit, retryPolicy, (seen, count) => {
      if (backward && seen?.revision === 0) return undefined;
      return client.readStream(names.stored(stream), {
        direction: backward ? BACKWARDS : FORWARDS,
        fromRevision: seen ? BigInt(seen.revision + (backward ? -1 : 1)) : begin,
        maxCount: Math.min(limit - count, Number.MAX_SAFE_INTEGER),
        requiresLeader: true,
      });
    });
  }

  async *readAll(
    { direction = 'forward', after, limit = Infinity }: ReadAllOptions,
    retryPolicy: RetryPolicy,
  ): AsyncIterable<RecordedEvent> {
    const { passed } = this.options;
    const backward = direction === 'backward';
    let mark = after;
    let count = 0;
    const foreign = (position: Position): boolean => {
      if (!backward && mark !== undefined) passed.passed(mark, position);
      return false;
    };
    const events = this.readingAll(backward, after, retryPolicy, foreign);
    for await (const event of events) {
      // Forward, the server gives the event at the position itself too.
      if (mark !== undefined && (backward ? event.position >= mark : event.position <= mark))
        continue;
      if (!backward && mark !== undefined) passed.met(event.position);
      yield event;
      mark = event.position;
      count += 1;
      if (count === limit) return;
    }
  }

  async *subscribe(
    after: bigint | undefined,
    ended: AbortSignal,
    retryPolicy: RetryPolicy,
  ): AsyncIterable<RecordedEvent> {
    const { client, names, passed } = this.options;
    let seen = after;
    const filter = streamNameFilter({
      prefixes: [names.prefix],
      maxSearchWindow: SEARCH_WINDOW,
      checkpointReached: async (subscription, position) => {
        // The event before it may not have been processed yet. Then the next one reports it.
        await turn();
        if (seen !== undefined && isDrained(subscription)) passed.passed(seen, position);
        if (passed.isDue) await this.keepPosition().catch(() => undefined);
      },
    });
    while (!ended.aborted) {
      const source = client.subscribeToAll({ fromPosition: passed.after(seen) ?? START, filter });
      try {
        for await (const resolved of pull(source, { signal: ended })) {
          retryPolicy.reset();
          const event = names.recorded(resolved);
          if (!event || (seen !== undefined && event.position <= seen)) continue;
          passed.met(event.position);
          seen = event.position;
          yield event;
        }
        if (!ended.aborted) throw new Error('the event store ended a subscription');
      } catch (error) {
        passed.forget();
        if (!ended.aborted) await retryPolicy.after(error);
      }
    }
  }

  async lastPosition(retryPolicy: RetryPolicy): Promise<bigint | undefined> {
    const { passed } = this.options;
    let end: Position | undefined;
    let last: bigint | undefined;
    const foreign = (position: Position): boolean => {
      end ??= position;
      last = passed.lastBefore(position.commit);
      return last !== undefined;
    };
    for await (const { position } of this.readingAll(true, undefined, retryPolicy, foreign)) {
      last = position;
      break;
    }
    if (last !== undefined) passed.found(last, end ?? { commit: last, prepare: last });
    return last;
  }

  /**
   * Takes over the progress of an earlier process if it is still valid. If the store cannot be
   * asked, nothing is known.
   */
  async loadPosition(): Promise<void> {
    await this.options.passed.load((to) => this.witness(to)).catch(() => undefined);
  }

  async keepPosition(): Promise<void> {
    await this.options.passed.save((to) => this.witness(to));
  }

  /** @throws when the leader does not answer */
  async probe(): Promise<void> {
    for await (const _ of this.one(BACKWARDS, END)) return;
  }

  /** The first event of any writer at a position or after it. */
  private async witness(to: Position): Promise<Witness | undefined> {
    for await (const { event } of this.one(FORWARDS, to)) {
      const { commit } = event?.position ?? {};
      return event && commit !== undefined ? { id: event.id, commit } : undefined;
    }
    return undefined;
  }

  private one(
    direction: typeof FORWARDS | typeof BACKWARDS,
    fromPosition: Position | typeof END,
  ): AsyncIterable<ResolvedEvent> {
    const { client, silenceMs, signal } = this.options;
    const options = { direction, fromPosition, maxCount: 1, requiresLeader: true };
    return pull(client.readAll(options), { silenceMs, signal });
  }

  private readingAll(
    backward: boolean,
    after: bigint | undefined,
    retryPolicy: RetryPolicy,
    foreign: Foreign,
  ): AsyncIterable<RecordedEvent> {
    const { client, passed } = this.options;
    const begin = (position: bigint | undefined): Position | undefined =>
      backward && position !== undefined
        ? { commit: position, prepare: position }
        : passed.after(position);
    return this.reading(
      Infinity,
      retryPolicy,
      (seen) =>
        client.readAll({
          direction: backward ? BACKWARDS : FORWARDS,
          fromPosition: begin(seen?.position ?? after) ?? (backward ? END : START),
          requiresLeader: true,
        }),
      foreign,
    );
  }

  /** Yields the events of `open`. After a failure it goes on from the last event. */
  private async *reading(
    limit: number,
    retryPolicy: RetryPolicy,
    open: Open,
    foreign: Foreign = () => false,
  ): AsyncIterable<RecordedEvent> {
    const { names, presence, silenceMs, signal, passed } = this.options;
    let seen: RecordedEvent | undefined;
    let count = 0;
    retryPolicy.begin();
    while (count < limit) {
      const source = open(seen, count);
      if (!source) return;
      try {
        for await (const resolved of pull(source, { silenceMs, signal })) {
          const event = names.recorded(resolved);
          if (!event) {
            const { position } = resolved.event ?? {};
            if (position && foreign(position)) return;
            continue;
          }
          retryPolicy.reset();
          yield event;
          seen = event;
          count += 1;
        }
        if (signal.aborted) throw new Error('the event store was closed during a read');
        presence.heard();
        return;
      } catch (error) {
        if (error instanceof StreamNotFoundError) presence.heard();
        if (error instanceof StreamNotFoundError) return;
        passed.forget();
        await retryPolicy.after(error);
      }
    }
  }
}

/** Tells whether all events so far were processed. */
const isDrained = (subscription: AllStreamSubscription): boolean =>
  (subscription as unknown as { readonly readableLength: number }).readableLength === 0;
