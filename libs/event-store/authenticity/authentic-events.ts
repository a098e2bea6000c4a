import { Backoff, KeyedMutex } from '@app/flow';
import { ChainCheck } from './chain-check.js';
import { isMac, macOf, NO_MAC, previousMacOf, storedMac, withMac } from './event-mac.js';
import type { EventMetadata, NewEvent, RecordedEvent } from '../event.js';
import {
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type SubscribeOptions,
} from '../event-store.js';
import { MappedEventStore } from '../mapped-event-store.js';
import { shortened } from '../met-events.js';
import type { NotOurs } from './not-ours.js';
import { RecentStreams } from './recent-streams.js';

/** Distinguishes the events of an installation from others. */
interface Authenticity {
  /** The key that new events' MACs are made with. */
  readonly key: Uint8Array;
  /** The key that was in force when the event at a position was appended. */
  keyAt(this: void, position: bigint): Uint8Array;
  /** Events up to this position need no MAC, because they are from before there were any. */
  readonly sealedUpTo: bigint;
}

/** The end of an event stream, and the MAC of our last event in it. */
interface Tail {
  /** The revision of the last event, also where that is not ours; -1 before the first. */
  readonly revision: number;
  readonly mac: string;
}

/** Type of an event that is not ours; no aggregate and no projection knows it. */
const NOT_OURS = 'NotOurs';
/** A reading that runs beside others keeps so many chains, which take about 2 MB. */
const CHAINS_MAX = 10_000;
const TAILS_MAX = 20_000;
/** This many events are read to find one of ours, if the last one was not. */
const PAGE = 100;
const TRIES = 10;
const BACKOFF_MS = { first: 1, most: 10 };

/**
 * A store that shows the content only of events that this installation wrote. Every event that is
 * appended carries a MAC over itself, its place in its stream, and the MAC of our event before it.
 * An event whose MAC fails keeps its place (id, stream, revision, position), so that counting is
 * the same for readers and writers, and has no content. Each event is judged by itself, so a
 * reading may begin anywhere; where the one before it was read as well, a gap is told, and changes
 * nothing.
 */
export class AuthenticEvents extends MappedEventStore {
  /** A cache of the ends of the streams that were read or appended to last. */
  private readonly tails = new RecentStreams<Tail>(TAILS_MAX);
  /** Appends without an expected revision come one after the other in each stream. */
  private readonly appending = new KeyedMutex();

  constructor(
    store: EventStore,
    private readonly authenticity: Authenticity,
    private readonly met: NotOurs,
  ) {
    super(store);
  }

  override append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    if (expected === 'any')
      return this.appending.run(stream, () => this.appendAtEnd(stream, events));
    return this.appendAfter(stream, events, expected === 'no-stream' ? -1 : expected);
  }

  override read(stream: string, options: ReadStreamOptions = {}): AsyncIterable<RecordedEvent> {
    return options.direction === 'backward'
      ? super.read(stream, options)
      : this.following(stream, options);
  }

  override readAll(options: ReadAllOptions = {}): AsyncIterable<RecordedEvent> {
    return options.direction === 'backward'
      ? super.readAll(options)
      : this.checked(this.store.readAll(options), options.after, CHAINS_MAX);
  }

  override subscribe(options: SubscribeOptions): AsyncIterable<RecordedEvent> {
    return this.checked(this.store.subscribe(options), options.after, CHAINS_MAX);
  }

  /** Reads all events and finds every gap, with no bound on memory. Each gap is reported. */
  async checkChains(upTo?: bigint): Promise<void> {
    for await (const { position } of this.checked(this.store.readAll(), undefined, Infinity))
      if (upTo !== undefined && position >= upTo) return;
  }

  protected toRead(event: RecordedEvent): RecordedEvent {
    return this.macIn(event) === undefined ? this.passedOver(event) : event;
  }

  private async *following(
    stream: string,
    options: ReadStreamOptions,
  ): AsyncIterable<RecordedEvent> {
    const { from, limit } = options;
    const events = this.store.read(stream, options);
    const start = from ?? 0;
    const before = start === 0 ? { revision: -1, mac: NO_MAC } : this.tails.get(stream);
    let tail = before?.revision === start - 1 ? before : undefined;
    let isAny = false;
    for await (const event of events) {
      isAny = true;
      const mac = this.macIn(event);
      if (mac !== undefined) {
        const previousMac = previousMacOf(event);
        if (tail && previousMac !== undefined && previousMac !== tail.mac) this.met.addGap(event);
        tail = { revision: event.revision, mac };
      } else if (tail) tail = { ...tail, revision: event.revision };
      yield mac === undefined ? this.passedOver(event) : event;
    }
    if (isAny && tail && limit === undefined) this.tails.set(stream, tail);
  }

  private async *checked(
    events: AsyncIterable<RecordedEvent>,
    after: bigint | undefined,
    streamsMax: number,
  ): AsyncIterable<RecordedEvent> {
    const chains = new ChainCheck(after === undefined || after === 0n, streamsMax);
    for await (const event of events) {
      const mac = this.macIn(event);
      if (mac === undefined) yield this.passedOver(event);
      else {
        if (!chains.follows(event.stream, previousMacOf(event), mac)) this.met.addGap(event);
        yield event;
      }
    }
  }

  /**
   * The MAC of the event, or what stands for it in an event from before MACs; undefined: the event
   * is not ours.
   */
  private macIn(event: RecordedEvent): string | undefined {
    const given = storedMac(event.metadata);
    const isOld = event.position <= this.authenticity.sealedUpTo;
    if (given === undefined && !isOld) return undefined;
    const mac = macOf(this.authenticity.keyAt(event.position), event);
    return given === undefined || isMac(given, mac) ? mac : undefined;
  }

  private passedOver(event: RecordedEvent): RecordedEvent {
    const { id, stream, revision, position, type } = event;
    const hasMac = storedMac(event.metadata) !== undefined;
    const notOurs = hasMac
      ? 'its MAC does not fit it and its place: it was changed, copied or made'
      : 'it has no MAC';
    this.met.add(event, notOurs);
    const place = {
      id,
      stream,
      revision,
      position,
      data: {},
      metadata: claimed(event.metadata),
      notOurs,
    };
    return { ...place, type: NOT_OURS, original: { ...place, type: shortened(type) } };
  }

  private async appendAfter(
    stream: string,
    events: readonly NewEvent[],
    revision: number,
  ): Promise<AppendResult> {
    let { mac } = await this.tailAt(stream, revision);
    const authentic = events.map((event, index) => {
      const placed = { ...event, stream, revision: revision + 1 + index };
      const made = withMac(this.authenticity.key, placed, mac);
      mac = made.metadata.mac ?? mac;
      return made;
    });
    const expected = revision === -1 ? 'no-stream' : revision;
    this.tails.delete(stream);
    const appended = await this.store.append(stream, authentic, expected);
    // Otherwise the events were appended before.
    if (appended.revision === revision + events.length)
      this.tails.set(stream, { revision: appended.revision, mac });
    return appended;
  }

  private async appendAtEnd(stream: string, events: readonly NewEvent[]): Promise<AppendResult> {
    const backoff = new Backoff(BACKOFF_MS);
    for (let left = TRIES; ; left -= 1) {
      const { revision } = this.tails.get(stream) ?? (await this.tailAt(stream));
      try {
        return await this.appendAfter(stream, events, revision);
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError) || left === 0) throw error;
        await backoff.wait();
      }
    }
  }

  /** @param revision of the last event before; undefined: of the stream */
  private async tailAt(stream: string, revision?: number): Promise<Tail> {
    if (revision === -1) return { revision, mac: NO_MAC };
    const known = this.tails.get(stream);
    if (known && known.revision === revision) return known;
    let last = revision;
    let from = revision;
    for (let limit = 1; ; limit = PAGE) {
      let read = 0;
      const begin = from === undefined ? {} : { from };
      for await (const event of this.store.read(stream, {
        direction: 'backward',
        limit,
        ...begin,
      })) {
        read += 1;
        last ??= event.revision;
        from = event.revision - 1;
        const mac = this.macIn(event);
        if (mac !== undefined) return this.keep(stream, { revision: last, mac });
      }
      if (read < limit || from === -1) return { revision: last ?? -1, mac: NO_MAC };
    }
  }

  private keep(stream: string, tail: Tail): Tail {
    this.tails.set(stream, tail);
    return tail;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The years that tables and the trail can store. */
const YEARS = { first: '2000', last: '2100' };

/** Takes only the time from what an event says about itself, because the time decides nothing. */
function claimed(metadata: unknown): EventMetadata {
  const given = isRecord(metadata) ? metadata.occurredAt : undefined;
  const time = typeof given === 'string' ? Date.parse(given) : NaN;
  const isTold = time >= Date.parse(YEARS.first) && time < Date.parse(YEARS.last);
  const occurredAt = new Date(isTold ? time : 0).toISOString();
  return { $correlationId: '', $causationId: '', actor: '', occurredAt };
}
