import { z } from 'zod';
import { HISTOGRAM_MAX_SECONDS } from './histogram.js';
import { SEARCH_CODE, searchError } from './search-error.js';
import { MICROSECONDS_FROM, type TimeRange } from '../plan/time-range.js';

export const SIZE_MAX = 10_000;
const AGGREGATIONS_MAX = 50;
/** Each query of a search has the server's own limit, which is far below. */
const TIMEOUT_MAX_SECONDS = 3600;

/** This size asks for as many rows as possible. */
const ALL = -1;

const time = z.number().int().nonnegative().default(0);
const page = {
  from: z.number().int().nonnegative().default(0),
  size: z
    .number()
    .int()
    .min(ALL)
    .max(SIZE_MAX)
    .default(10)
    .describe(
      `Rows; ${ALL}: as many as there may be; 0: none, unless sql_mode is full and there are no aggs`,
    ),
};

/**
 * Refuses a parameter that would change the answer and is not supported. Clients that send it empty
 * do not mean it.
 */
export const unsupported = (instead: string) => z.literal('', { error: instead }).nullish();
export const queryFunction = unsupported('there are no VRL functions; write what it does as SQL');

/** The only type of streams. OpenObserve's clients name a type. */
export const streamType = z
  .string()
  .default('logs')
  .describe('logs; of other types there are no streams');

/**
 * @throws {MillraceError} INVALID_SEARCH if streams of another type are requested, which must not
 *   be mistaken for these
 */
export function checkStreamType(type: string): void {
  if (type === 'logs') return;
  throw searchError(
    SEARCH_CODE.streamNotFound,
    `Search stream not found: there are streams of type logs only, not ${JSON.stringify(type.slice(0, 40))}`,
  );
}

/**
 * The seconds of the buckets that a client got for a range, of which it now requests a shorter one.
 */
const histogramInterval = z
  .number()
  .int()
  .min(0)
  .max(HISTOGRAM_MAX_SECONDS)
  .default(0)
  .describe('Seconds of the buckets of `histogram(_timestamp)`; 0: by the length of the range');
const encoding = z
  .enum(['', 'base64'])
  .default('')
  .describe('base64: `sql` and `aggs` are written in it');

const ONLY_SQL = "is missing; want one SELECT, as Elasticsearch's queries are not read here";

/** OpenObserve's clients send further fields, which are ignored. */
export const searchBody = z.object({
  query: z.object({
    sql: z
      .string({ error: ({ input }) => (input === undefined ? ONLY_SQL : undefined) })
      .describe('One SELECT'),
    ...page,
    start_time: time.describe('Microseconds since 1970, included; 0: unbounded'),
    end_time: time.describe('Microseconds since 1970, excluded; 0: unbounded'),
    sort_by: unsupported('put ORDER BY into sql'),
    query_fn: queryFunction,
    histogram_interval: histogramInterval,
    sql_mode: z
      .string()
      .optional()
      .describe('full: a size of 0 means all rows where there are no aggs, as dashboards send it'),
  }),
  aggs: z
    .record(z.string(), z.string())
    .default({})
    .describe('By name, SQL over `query`: all rows that WHERE and the time range select'),
  encoding,
  timeout: z.number().int().nonnegative().default(0).describe('Seconds; 0: as long as it may'),
});

export interface SearchRequest {
  readonly sql: string;
  readonly range: TimeRange;
  readonly from: number;
  readonly size: number;
  readonly aggs: readonly (readonly [string, string])[];
  readonly timeoutSeconds: number;
  /** In seconds; undefined: the length of the range decides. */
  readonly histogramInterval: number | undefined;
}

/** The body that OpenObserve's web page and Grafana plugin send before they draw a histogram. */
export const partitionBody = z.object({
  sql: z.string().describe('One SELECT'),
  start_time: time.describe('Microseconds since 1970, included; 0: unbounded'),
  end_time: time.describe('Microseconds since 1970, excluded; 0: now'),
  query_fn: queryFunction,
  histogram_interval: histogramInterval,
  encoding,
});

export type PartitionRequest = Pick<SearchRequest, 'sql' | 'range' | 'histogramInterval'>;

/** @throws {MillraceError} INVALID_SEARCH */
export function readPartition(body: z.infer<typeof partitionBody>): PartitionRequest {
  return {
    sql: body.encoding === 'base64' ? fromBase64(body.sql) : body.sql,
    range: readRange(body.start_time, body.end_time || Date.now() * 1000),
    histogramInterval: body.histogram_interval || undefined,
  };
}

/** @throws {MillraceError} INVALID_SEARCH */
export function readSearch(body: z.infer<typeof searchBody>): SearchRequest {
  const { query, aggs, encoding, timeout } = body;
  const decode = (text: string): string => (encoding === 'base64' ? fromBase64(text) : text);
  if (Object.keys(aggs).length > AGGREGATIONS_MAX)
    throw searchError(SEARCH_CODE.invalidSql, `at most ${AGGREGATIONS_MAX} aggregations`);
  return {
    sql: decode(query.sql),
    range: readRange(query.start_time, query.end_time),
    from: query.from,
    size: sizeOf(body),
    aggs: Object.entries(aggs).map(([name, sql]) => [name, decode(sql)] as const),
    timeoutSeconds: Math.min(timeout, TIMEOUT_MAX_SECONDS),
    histogramInterval: query.histogram_interval || undefined,
  };
}

/** OpenObserve's dashboards ask for all rows with 0. */
function sizeOf({ query, aggs }: z.infer<typeof searchBody>): number {
  const isFull = query.sql_mode === 'full' && Object.keys(aggs).length === 0;
  return query.size === ALL || (query.size === 0 && isFull) ? SIZE_MAX : query.size;
}

/** @throws {MillraceError} INVALID_SEARCH */
export function readRange(start: number, end: number): TimeRange {
  for (const [name, value] of [
    ['start_time', start],
    ['end_time', end],
  ] as const) {
    if (value > 0 && value < MICROSECONDS_FROM)
      throw searchError(
        SEARCH_CODE.invalidSql,
        `Query SQL time_range ${name} should be microseconds since 1970, such as ${Date.now()}000, not ${value}`,
      );
  }
  if (end > 0 && start > end) {
    throw searchError(
      SEARCH_CODE.invalidSql,
      `Query SQL time_range start_time should be less than end_time: ${start} is after ${end}`,
    );
  }
  return { start: start || undefined, end: end || undefined };
}

export function fromBase64(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw searchError(
      SEARCH_CODE.invalidSql,
      'encoding says base64, but that is not base64 of UTF-8',
    );
  }
}
