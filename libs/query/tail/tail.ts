import { MillraceError } from '@app/platform';
import { printEventId, type TailPlace } from './event-id.js';
import type { TailRow, TailRows } from './read-rows.js';
import { heartbeat, namedEvent, retryAfter, rowEvent } from './server-sent.js';
import type { WrittenTo } from './tail-source.js';

/** The result of one look: a text to send, if any, and how long to wait after it. */
export interface Found {
  readonly text?: string;
  readonly waitMs: number;
  /** The tail ends after it. */
  readonly isLast?: boolean;
}

/** Reads rows from a place on, before an offset, in order. */
type ReadRows = (from: TailPlace, before: bigint) => Promise<TailRows>;

/** The interval at which written rows are looked for. A row may be shown so much later. */
const LOOK_MS = 250;
/** The time between questions to the engine if the last one found nothing. */
const QUIET_MS = 1000;
const HEARTBEAT_MS = 15_000;
/** This many consecutive failures end a tail. */
const FAILURES_MAX = 5;
const FAILED_MS = 1000;
const RETRY_MS = 2000;

/** The reason why a tail ends: a word for programs, and words for people. */
const ENDS = {
  stopping: 'the server stops; come again with the id of the last event',
  refused: 'you may not see this stream any more',
  deleted: 'the stream was deleted',
  slow: 'rows were not taken in time; come again with the id of the last event',
  crowded: 'others need the place; come again with the id of the last event',
} as const;
export type End = keyof typeof ENDS;
/** The reason of a signal that ends a tail for somebody else. */
export const CROWDED: End = 'crowded';

/** Keeps how much of a stream one client has been shown. */
export class Tail {
  private quietUntil = 0;
  private saidAt = performance.now();
  private failures = 0;

  /** @param place the first row that was not shown */
  constructor(
    readonly written: WrittenTo,
    private place: TailPlace,
    private readonly read: ReadRows,
  ) {}

  /**
   * Runs the statement without reading rows, so that faults of the filter show.
   * @throws {MillraceError}
   */
  async check(): Promise<void> {
    const { rows } = await this.read(this.place, this.place.offset);
    if (rows.length > 0) throw notOneCondition();
  }

  /** The first event. From its id on, no row is missing. */
  begun(): string {
    return retryAfter(RETRY_MS) + namedEvent('begin', {}, this.id());
  }

  ended(end: End): Found & { readonly text: string } {
    return this.last(end, ENDS[end]);
  }

  /** Looks once for rows before the offset up to which everything is written. */
  async look(before: bigint): Promise<Found> {
    const now = performance.now();
    if (before > this.place.offset && now >= this.quietUntil) {
      const { rows, isCut } = await this.read(this.place, before);
      this.failures = 0;
      const text = this.show(rows, before);
      if (!isCut) this.place = { offset: before, row: 0 };
      this.quietUntil = rows.length > 0 ? 0 : now + QUIET_MS;
      if (text !== '') return this.say(text, isCut ? 0 : LOOK_MS);
    }
    return this.rest(LOOK_MS);
  }

  /**
   * After a temporary failure the tail tries again. No row is lost, since the place does not
   * change.
   */
  fails(error: unknown): Found {
    const failure = error instanceof MillraceError ? error : undefined;
    this.failures += 1;
    if (this.failures > FAILURES_MAX || !failure)
      return this.last('failed', failure?.message ?? 'rows cannot be read just now; come again');
    const seconds = failure.retryAfterSeconds;
    return this.rest(seconds === undefined ? FAILED_MS * this.failures : seconds * 1000);
  }

  private show(rows: readonly TailRow[], before: bigint): string {
    let text = '';
    for (const { offset, row, hit } of rows) {
      const isNext =
        offset > this.place.offset || (offset === this.place.offset && row >= this.place.row);
      if (!isNext || offset >= before) throw notOneCondition();
      this.place = { offset, row: row + 1 };
      text += rowEvent(hit, this.id());
    }
    return text;
  }

  private rest(waitMs: number): Found {
    if (performance.now() - this.saidAt < HEARTBEAT_MS) return { waitMs };
    return this.say(heartbeat(this.id()), waitMs);
  }

  private say(text: string, waitMs: number): Found {
    this.saidAt = performance.now();
    return { text, waitMs };
  }

  private last(reason: string, message: string): Found & { readonly text: string } {
    const text = retryAfter(RETRY_MS) + namedEvent('end', { reason, message });
    return { text, waitMs: 0, isLast: true };
  }

  private id(): string {
    return printEventId(this.written, this.place);
  }
}

/**
 * The error for a filter that closes the bracket around it, and so could select other rows than
 * allowed.
 */
const notOneCondition = (): MillraceError =>
  new MillraceError('INVALID_PARAMETER', 'filter is not one condition; put brackets around it');
