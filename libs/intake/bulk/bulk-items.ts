import { MillraceError } from '@app/platform';
import type { Rejection } from '@app/acceptance';
import type { BulkAction, BulkError } from './bulk-action.js';

/** Consecutive actions with the same answer, apart from rejections. */
interface Run {
  /** The item of the answer, without its end. */
  readonly item: string;
  count: number;
  /** Each action took a line of the stream, whether or not its document is stored. */
  readonly stream: string | undefined;
  error: BulkError | undefined;
}

/**
 * The rejected records of each stream, by their line within the stream's records, from 1, in order.
 */
export type Rejections = ReadonlyMap<string, readonly Rejection[]>;

/** Streams of which nothing was stored, with the reason. */
export type RefusedStreams = ReadonlyMap<string, BulkError>;

/**
 * The bytes that the answer needs in memory. An action that equals the one before costs nothing.
 */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;
const RUN_BYTES = 64;
const ITEMS_AT_ONCE = 500;

/** The items of a bulk request in their order: each action, and its result for the answer. */
export class BulkItems {
  private readonly runs: Run[] = [];
  private lastAction: BulkAction | undefined;
  private readonly counted = new WeakSet<BulkAction>();
  private keptBytes = 0;

  /** @throws {MillraceError} UPLOAD_TOO_LARGE */
  add(action: BulkAction): void {
    const { item, stream, error } = action;
    const last = this.runs.at(-1);
    if (last && this.lastAction === action && last.error === error) {
      last.count += 1;
      return;
    }
    this.lastAction = action;
    // An action without an _id usually has the same object as one before. Others are not asked for,
    // because a set of so many costs more than all else here.
    const isCounted = action.id === undefined && this.counted.has(action);
    this.keptBytes += RUN_BYTES + (isCounted ? 0 : 2 * item.length);
    if (action.id === undefined) this.counted.add(action);
    if (this.keptBytes > KEPT_BYTES_MAX)
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        'a bulk request may have some two hundred thousand actions that differ, as those with an _id do; split it',
      );
    this.runs.push({ item, count: 1, stream, error });
  }

  /** The last action's document was blank. */
  refuseLast(error: BulkError): void {
    const last = this.runs.at(-1);
    if (!last) return;
    if (last.count > 1) {
      last.count -= 1;
      this.runs.push({ ...last, count: 1, error });
    } else last.error = error;
  }

  /** The answer's body, piece by piece. @param took milliseconds */
  *answer(
    rejections: Rejections,
    took: number,
    refused: RefusedStreams = new Map(),
  ): Generator<string> {
    const errors =
      refused.size > 0 ||
      this.runs.some(({ error }) => error) ||
      [...rejections.values()].some((each) => each.length > 0);
    yield `{"took":${took},"errors":${errors},"items":[`;
    const pending = new Map([...rejections].map(([stream, all]) => [stream, { all, next: 0 }]));
    const lines = new Map<string, number>();
    let comma = '';
    for (const { item, count, stream, error: own } of this.runs) {
      const error = own ?? refused.get(stream ?? '');
      const first = (lines.get(stream ?? '') ?? 0) + 1;
      if (stream !== undefined) lines.set(stream, first + count - 1);
      const stored = `${item},"status":201}}`;
      if (error) {
        yield* repeated(failed(item, error), count, comma);
        comma = ',';
        continue;
      }
      const rejected = pending.get(stream ?? '');
      let line = first;
      const end = first + count;
      while (line < end) {
        const next = rejected?.all[rejected.next];
        const until = Math.min(next?.line ?? end, end);
        yield* repeated(stored, until - line, comma);
        if (until > line) comma = ',';
        line = until;
        if (!rejected || next?.line !== line || line >= end) continue;
        yield comma + failed(item, { type: REJECTED, reason: next.reason });
        comma = ',';
        rejected.next += 1;
        line += 1;
      }
    }
    yield ']}';
  }
}

/** Elasticsearch has this name for a document that does not fit. */
const REJECTED = 'document_parsing_exception';

function failed(item: string, { type, reason, status = 400 }: BulkError): string {
  return `${item},"status":${status},"error":${JSON.stringify({ type, reason })}}}`;
}

function* repeated(item: string, count: number, comma: string): Generator<string> {
  if (count === 0) return;
  yield comma + item;
  const more = `,${item}`;
  for (let left = count - 1; left > 0; left -= ITEMS_AT_ONCE)
    yield more.repeat(Math.min(left, ITEMS_AT_ONCE));
}
