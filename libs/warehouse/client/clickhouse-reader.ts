import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ClickHouseSettings } from '@clickhouse/client';
import { PassingPlaces } from '@app/flow';
import { engineFormat, WHOLE_RESULT } from '../sql/read-settings.js';
import { quoteText } from '../ddl/identifier.js';
import type { SqlRunner } from '../sql/sql-runner.js';
import { NETWORK_ERROR, WarehouseError } from '../warehouse-errors.js';
import type {
  QueryLimits,
  QueryProgress,
  AnswerFormat,
  WarehouseQuery,
  WarehouseReader,
} from '../warehouse.js';
import { WholeResult } from '../whole-result.js';
import type { ClickHouseConnection } from './clickhouse-connection.js';
import type { Request } from './clickhouse-request.js';
import type { QueryWatch, Watched } from './query-watch.js';

/** The rights of a query. */
export type Rights = Pick<Request, 'role' | 'auth'>;

export interface ReaderDependencies {
  readonly connection: ClickHouseConnection;
  readonly limits: QueryLimits;
  /** Settings that each query sends: those that its user's profile does not have. */
  readonly settings: ClickHouseSettings;
  /** The rights of a user who may read this database, or no rights if it is undefined. */
  readonly rights: (database: string | undefined) => Rights | Promise<Rights>;
  /** Watches running queries and their progress. */
  readonly control: SqlRunner;
  /** Client queries that begin at once; undefined: the server limits them. */
  readonly readers?: number;
  readonly watch?: QueryWatch;
}

/**
 * The time that a server may take beyond a query's limit, because it checks the clock only between
 * blocks.
 */
const LATE_MS = 5000;
const SAMPLE_MS = 200;
/** A query that takes longer passes its place on, so that a few long ones keep no short one waiting. */
const LONG_MS = 1000;
/** So many times as many long queries run at once as queries begin. */
const LASTING = 2;
/**
 * The size up to which an answer is held back if the caller wants statistics. Such an answer is
 * sent when it is complete, because only then are the engine's numbers final.
 */
const HELD_BYTES = 16 * 1024 * 1024;
/** An answer with at most so many bytes that has already arrived is passed on as a whole. */
const WHOLE_BYTES = 64 * 1024;

const nothing = (): void => undefined;

const withFormat = (sql: string, format: AnswerFormat): string =>
  `${sql}\nFORMAT ${engineFormat(format)}`;

/** Each query has its own bounds, and is read-only: the server lets it change neither. */
export class ClickHouseReader implements WarehouseReader {
  private readonly maxWaitMs: number;
  private readonly places: PassingPlaces | undefined;

  constructor(private readonly dependencies: ReaderDependencies) {
    const { limits, readers } = dependencies;
    this.places =
      readers === undefined
        ? undefined
        : new PassingPlaces({
            beginning: readers,
            lasting: LASTING * readers,
            passAfterMs: LONG_MS,
          });
    this.maxWaitMs = limits.timeoutSeconds * 1000 + LATE_MS;
  }

  async stream(query: WarehouseQuery): Promise<Readable> {
    const { watch } = this.dependencies;
    watch?.admit(query.database);
    const leave = (await this.places?.acquire(query.database, query.signal)) ?? nothing;
    const stop = new AbortController();
    let answer: Readable | undefined;
    const watched = {
      id: query.id ?? randomUUID(),
      database: query.database,
      begunAt: performance.now(),
      stop: (reason: Error) => {
        answer?.destroy(reason);
        stop.abort(reason);
      },
    };
    const done = watch?.watch(watched);
    const progress = new Progress(query, this.dependencies.control, watched.id);
    try {
      if (query.onReading) progress.sample();
      const settings = {
        output_format_json_array_of_rows: query.format === 'json' ? 1 : 0,
        // The engine knows the final numbers only when the query has ended.
        wait_end_of_query: query.onProgress ? 1 : 0,
        ...(query.onReading && { http_response_buffer_size: String(HELD_BYTES) }),
      } as const;
      const rows = await this.ask({ ...query, id: watched.id }, stop, settings, (request) =>
        this.dependencies.connection.stream({
          ...request,
          onSummary: (read) => progress.tell(read),
        }),
      );
      answer = rows;
      const whole = await wholeOf(rows, query.format);
      if (whole) {
        progress.stop();
        done?.();
        leave();
        return whole;
      }
      progress.sample();
      rows.once('close', () => {
        progress.stop();
        if (rows.readableEnded || !watch) {
          done?.();
          leave();
        } else this.release(watched, done, leave);
      });
      return rows;
    } catch (error) {
      progress.stop();
      // If a failure is not an answer of the engine, the engine may still be at work.
      const isAnswer = error instanceof WarehouseError && error.code !== NETWORK_ERROR;
      if (isAnswer || !watch) {
        done?.();
        leave();
      } else this.release(watched, done, leave);
      throw error;
    }
  }

  async text(query: WarehouseQuery): Promise<string> {
    const { watch } = this.dependencies;
    watch?.admit(query.database);
    const stop = new AbortController();
    const watched = {
      id: query.id ?? randomUUID(),
      database: query.database,
      begunAt: performance.now(),
      stop: (reason: Error) => stop.abort(reason),
    };
    const done = watch?.watch(watched);
    // The answer begins only when the work is done, so that its status shows the outcome.
    const settings = {
      ...WHOLE_RESULT,
      output_format_json_array_of_rows: 1,
      wait_end_of_query: 1,
    } as const;
    try {
      return await this.ask({ ...query, id: watched.id }, stop, settings, (request) =>
        this.dependencies.connection.text(request),
      );
    } catch (error) {
      if (!(error instanceof WarehouseError)) void watch?.giveUp(watched);
      throw error;
    } finally {
      done?.();
    }
  }

  /** The client has left. The query's place stays taken until the engine has ended it. */
  private release(watched: Watched, done: (() => void) | undefined, leave: () => void): void {
    done?.();
    const gone = this.dependencies.watch?.giveUp(watched) ?? Promise.resolve();
    void gone.finally(leave);
  }

  private async ask<Result>(
    { sql, format, settings: own, signal, ...query }: WarehouseQuery,
    stop: AbortController,
    settings: ClickHouseSettings,
    send: (request: Request) => Promise<Result>,
  ): Promise<Result> {
    const { id, database, params } = query;
    const request: Request = {
      ...(id === undefined ? {} : { id }),
      ...(database === undefined ? {} : { database }),
      ...(params === undefined ? {} : { params }),
      ...(await this.dependencies.rights(database)),
      query: withFormat(sql, format),
      settings: { ...this.dependencies.settings, ...own, ...settings },
      isReading: true,
    };
    return this.inTime(stop, () => send({ ...request, signal: either(stop.signal, signal) }));
  }

  /**
   * A server that enforces a query's limit has begun to answer by then; one that hangs never does.
   */
  private async inTime<Result>(stop: AbortController, ask: () => Promise<Result>): Promise<Result> {
    const giveUp = setTimeout(() => {
      const message = `ClickHouse has not answered within ${this.maxWaitMs / 1000} s`;
      stop.abort(new WarehouseError(NETWORK_ERROR, 'NETWORK_ERROR', message));
    }, this.maxWaitMs);
    try {
      return await ask();
    } finally {
      clearTimeout(giveUp);
    }
  }
}

const either = (stop: AbortSignal, caller: AbortSignal | undefined): AbortSignal =>
  caller ? AbortSignal.any([caller, stop]) : stop;

/** Reports the query's statistics: when its answer begins, and at intervals while it is sent. */
class Progress {
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;
  private latest: QueryProgress = { rowsRead: 0, bytesRead: 0 };

  constructor(
    private readonly query: WarehouseQuery,
    private readonly control: SqlRunner,
    private readonly id: string,
  ) {}

  tell(read: QueryProgress): void {
    if (read.rowsRead < this.latest.rowsRead) return;
    this.latest = read;
    this.query.onProgress?.(read);
    this.query.onSample?.(read);
    this.query.onReading?.(read);
  }

  sample(): void {
    const { onProgress, onSample, onReading } = this.query;
    if (onProgress || onSample || onReading)
      this.timer ??= setInterval(() => void this.look(), SAMPLE_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.isOver = true;
  }

  private async look(): Promise<void> {
    const sql = `SELECT toFloat64(read_rows) AS rowsRead, toFloat64(read_bytes) AS bytesRead FROM system.processes WHERE query_id = ${quoteText(this.id)}`;
    const [read] = await this.control.rows<QueryProgress>(sql).catch(() => []);
    if (read && !this.isOver) this.tell(read);
  }
}

/** Reads a small answer as a whole. A larger answer is put back into the stream. */
async function wholeOf(rows: Readable, format: AnswerFormat): Promise<WholeResult | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  while (bytes <= WHOLE_BYTES) {
    const chunk = rows.read() as Buffer | null;
    if (chunk !== null) {
      chunks.push(chunk);
      bytes += chunk.length;
    } else if (rows.readableEnded) return new WholeResult(document(Buffer.concat(chunks), format));
    else if (rows.destroyed) throw rows.errored ?? new Error('the answer was cut off');
    else await moreOf(rows);
  }
  for (const chunk of chunks.reverse()) rows.unshift(chunk);
  return undefined;
}

const FIRST_ROW = Buffer.from('[\n{');
const EMPTY_ARRAY = Buffer.from('[]\n');

/** An array without rows is written as one. */
function document(bytes: Buffer, format: AnswerFormat): Buffer {
  const isEmpty = format === 'json' && !bytes.subarray(0, FIRST_ROW.length).equals(FIRST_ROW);
  return isEmpty ? EMPTY_ARRAY : bytes;
}

const EVENTS = ['readable', 'end', 'error', 'close'] as const;

/** Resolves when there is more to read, or the stream has ended. */
function moreOf(rows: Readable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      for (const event of EVENTS) rows.off(event, settle);
      resolve();
    };
    for (const event of EVENTS) rows.once(event, settle);
  });
}
