import { Injectable } from '@nestjs/common';
import { pause } from '@app/flow';
import { MillraceError, type RequestOrganization } from '@app/platform';
import { Catalog, type TableDescription } from '../catalog.js';
import { QueryPipeline } from '../query.pipeline.js';
import { CanonicalText } from '../search/canonical-text.js';
import { planSearch, type SearchPlan } from '../search/search-plan.js';
import { readEventId } from './event-id.js';
import { readRows, type TailRow, type TailRows } from './read-rows.js';
import { rowEvent } from './server-sent.js';
import { CROWDED, Tail, type Found } from './tail.js';
import { TailSource, type WrittenTo } from './tail-source.js';
import { earlierRows, followingRows } from './tail-statement.js';

interface TailRequest {
  readonly organization: RequestOrganization;
  readonly stream: string;
  /** A condition in SQL; without it, all rows match. */
  readonly filter: string;
  /**
   * The number of earlier rows to show first, the newest ones; none if the tail continues after an
   * event.
   */
  readonly rows: number;
  readonly lastEventId: string | undefined;
  /** Tells whether the caller may still see the stream. */
  readonly isAllowed: () => boolean;
  /** Aborts when the client has left. */
  readonly left: AbortSignal;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** A client has so long to take the sent events; a slower one is cut off. */
const TAKE_MS = 15_000;
const PAGE_ROWS = 1000;
const PAGE_BYTES = 256 * 1024;

/**
 * The way of a tail: how far is written → rows up to there, in the queue's order → events.
 *
 * What is read ends where the queue is committed. Several inserts of one delivery are at work at
 * once, so a row may be in the table before an older one; before the committed offset nothing is
 * missing and nothing comes any more, so "all behind the last one" has no gap and no double.
 */
@Injectable()
export class TailPipeline {
  constructor(
    private readonly queries: QueryPipeline,
    private readonly canonical: CanonicalText,
    private readonly catalog: Catalog,
    private readonly source: TailSource,
  ) {}

  /**
   * Checks the whole request before the answer begins.
   * @returns the text of the events; reading on means that the events so far were taken
   * @throws {MillraceError}
   */
  async open(request: TailRequest): Promise<AsyncGenerator<string>> {
    const { organization, stream, filter, lastEventId } = request;
    const table = this.catalog.table(organization, stream);
    const written = await this.source.written(organization, stream);
    if (!table || !written)
      throw new MillraceError('STREAM_NOT_FOUND', 'stream not found', { detail: stream });
    const start = { offset: written.offset, row: 0 };
    const place = lastEventId === undefined ? start : readEventId(lastEventId, written);
    const plan = await this.plan(organization, followingRows(table, filter));
    const { partition } = written;
    const tail = new Tail(written, place, (from, before) =>
      this.rows(plan, request, PAGE_ROWS, {
        tail_partition: String(partition),
        tail_from: String(from.offset),
        tail_row: String(from.row),
        tail_before: String(before),
      }),
    );
    await tail.check();
    const earlier = lastEventId === undefined ? await this.earlier(request, table, written) : [];
    const text = earlier.map(({ hit }) => rowEvent(hit)).join('') + tail.begun();
    return this.events(tail, request, { text, waitMs: 0 });
  }

  private async *events(tail: Tail, request: TailRequest, first: Found): AsyncGenerator<string> {
    const ended = AbortSignal.any([request.left, request.stopping]);
    for (let found = first; ; found = await this.look(tail, request)) {
      const { text, waitMs, isLast } = found;
      if (text !== undefined) {
        const givenAt = performance.now();
        yield text;
        if (isLast) return;
        if (performance.now() - givenAt > TAKE_MS) {
          yield tail.ended('slow').text;
          return;
        }
      }
      await pause(waitMs, ended);
      if (request.left.aborted) return;
    }
  }

  private async look(tail: Tail, request: TailRequest): Promise<Found> {
    const { organization, stream, left, stopping, isAllowed } = request;
    try {
      if (stopping.aborted) return tail.ended(stopping.reason === CROWDED ? CROWDED : 'stopping');
      if (!isAllowed()) return tail.ended('refused');
      const written = await this.source.written(organization, stream);
      if (written?.streamId !== tail.written.streamId) return tail.ended('deleted');
      return await tail.look(written.offset);
    } catch (error) {
      return left.aborted || stopping.aborted ? { waitMs: 0 } : tail.fails(error);
    }
  }

  /** The newest rows before the tail's first place, oldest first. */
  private async earlier(
    request: TailRequest,
    table: TableDescription,
    { partition, offset }: WrittenTo,
  ): Promise<readonly TailRow[]> {
    const { organization, filter, rows: most } = request;
    if (most === 0) return [];
    const plan = await this.plan(organization, earlierRows(table, filter));
    const values = { tail_partition: String(partition), tail_from: String(offset) };
    const { rows } = await this.rows(plan, request, most, values);
    return rows.toReversed();
  }

  private async rows(
    plan: SearchPlan,
    { organization, left, stopping }: TailRequest,
    most: number,
    values: Readonly<Record<string, string>>,
  ): Promise<TailRows> {
    const { sql } = plan.page(0, most);
    const signal = AbortSignal.any([left, stopping]);
    const lines = await this.queries.run({ sql, values, organization, format: 'ndjson', signal });
    const { rows, isCut } = await readRows(lines, PAGE_BYTES);
    return { rows, isCut: isCut || rows.length >= most };
  }

  private async plan(organization: RequestOrganization, sql: string): Promise<SearchPlan> {
    const everything = { start: undefined, end: undefined };
    return planSearch(await this.canonical.of(sql), everything, (name) =>
      this.catalog.table(organization, name),
    );
  }
}
