import { text } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { didYouMean, MillraceError, type RequestOrganization } from '@app/platform';
import { toWarehouseError, type QueryProgress, type ResultFormat } from '@app/warehouse';
import { Catalog } from '../catalog.js';
import type { BoundStatement } from '../plan/bindings.js';
import { QueryPipeline } from '../query.pipeline.js';
import { CanonicalText } from './canonical-text.js';
import { toAggregates, toHits } from './hits.js';
import { withMicroseconds } from './microsecond-times.js';
import { automaticInterval } from './histogram.js';
import { SEARCH_CODE, searchError, toAggregationError, toSearchError } from './search-error.js';
import { planSearch, rangeSeconds, type SearchPlan } from './search-plan.js';
import type { PartitionRequest, SearchRequest } from './search-request.js';

/** The context of a search, and the signal that ends it. */
export interface SearchScope {
  readonly organization: RequestOrganization;
  readonly signal: AbortSignal;
  /** Counts the bytes that the engine reads for it. */
  readonly scan: Scan;
}

/** Bytes that the engine has read. */
export class Scan {
  bytes = 0;
}

/** The result of a search. Rows are JSON objects as the engine wrote them. */
export interface SearchResult {
  readonly hits: readonly string[];
  readonly total: number;
  /** The aggregations, each with a name and its rows as a JSON array. */
  readonly aggs: readonly (readonly [string, string])[];
  /** The seconds of its buckets, if it is a histogram. */
  readonly histogramInterval?: number | undefined;
}

/** Describes how a search over a range is best divided. */
interface SearchPartition {
  /** The number of all records. */
  readonly records: number;
  readonly histogramInterval: number;
  /** Tells whether {@link SearchPipeline.histogram} supports the statement. */
  readonly isHistogramEligible: boolean;
}

/** The histogram of a statement's rows, in the form that OpenObserve's clients know. */
const HISTOGRAM =
  'SELECT histogram(_timestamp) AS zo_sql_key, count(*) AS zo_sql_num FROM query GROUP BY zo_sql_key ORDER BY zo_sql_key';

/** The way of a search: statement → engine's print → plan → a page, a count, aggregations. */
@Injectable()
export class SearchPipeline {
  constructor(
    private readonly queries: QueryPipeline,
    private readonly canonical: CanonicalText,
    private readonly catalog: Catalog,
  ) {}

  /** @throws {MillraceError} with a search code */
  run(request: SearchRequest, caller: SearchScope): Promise<SearchResult> {
    return this.within(request, caller, async (scope) =>
      this.answer(await this.plan(request, scope.organization), request, scope),
    );
  }

  /** Counts a statement's rows by time. @throws {MillraceError} with a search code */
  histogram(request: SearchRequest, caller: SearchScope): Promise<SearchResult> {
    return this.within(request, caller, async (scope) => {
      const plan = await this.plan(request, scope.organization);
      if (!plan.isPlain) throw searchError(SEARCH_CODE.noHistogram, NO_HISTOGRAM);
      const counting = plan.aggregation(await this.canonical.of(HISTOGRAM));
      try {
        const hits = await this.hits(counting, scope);
        return { hits, total: hits.length, aggs: [], histogramInterval: intervalOf(plan, request) };
      } catch (error) {
        throw namingField(error, plan);
      }
    });
  }

  /** Describes a range before it is searched. @throws {MillraceError} with a search code */
  async partition(request: PartitionRequest, scope: SearchScope): Promise<SearchPartition> {
    const plan = await this.plan(request, scope.organization);
    try {
      const records = await this.count(plan, scope);
      const isHistogramEligible = plan.isPlain || plan.histogramInterval !== undefined;
      return { records, histogramInterval: intervalOf(plan, request), isHistogramEligible };
    } catch (error) {
      throw namingField(error, plan);
    }
  }

  private async within(
    request: SearchRequest,
    caller: SearchScope,
    find: (scope: SearchScope) => Promise<SearchResult>,
  ): Promise<SearchResult> {
    const { timeoutSeconds } = request;
    const limit = timeoutSeconds > 0 ? AbortSignal.timeout(timeoutSeconds * 1000) : undefined;
    const signal = limit ? AbortSignal.any([caller.signal, limit]) : caller.signal;
    const scope = { ...caller, signal };
    try {
      return await find(scope);
    } catch (error) {
      if (limit?.aborted && !caller.signal.aborted)
        throw toSearchError(tookTooLong(timeoutSeconds));
      throw toSearchError(error);
    }
  }

  private async answer(
    plan: SearchPlan,
    request: SearchRequest,
    scope: SearchScope,
  ): Promise<SearchResult> {
    try {
      const hits = request.size === 0 ? [] : await this.page(plan, request, scope);
      const total = await this.total(plan, request, hits.length, scope);
      const aggs = await this.aggregations(plan, request, scope);
      return { hits, total, aggs, histogramInterval: plan.histogramInterval };
    } catch (error) {
      throw namingField(error, plan);
    }
  }

  /** Runs an aggregation over `query`, the rows that a statement and a time range select. */
  async aggregate(
    request: Pick<SearchRequest, 'sql' | 'range'>,
    aggregation: string,
    scope: SearchScope,
  ): Promise<readonly string[]> {
    const plan = await this.plan(request, scope.organization);
    try {
      return await this.hits(plan.aggregation(await this.canonical.of(aggregation)), scope);
    } catch (error) {
      throw namingField(error, plan);
    }
  }

  private async plan(
    {
      sql,
      range,
      histogramInterval,
    }: Pick<SearchRequest, 'sql' | 'range'> & Partial<SearchRequest>,
    organization: RequestOrganization,
  ): Promise<SearchPlan> {
    const canonical = await this.canonical.of(sql);
    const tableOf = (name: string) => this.catalog.table(organization, name);
    return planSearch(canonical, range, tableOf, histogramInterval);
  }

  private async page(
    plan: SearchPlan,
    { from, size }: SearchRequest,
    scope: SearchScope,
  ): Promise<readonly string[]> {
    try {
      return await this.hits(plan.page(from, size), scope);
    } catch (error) {
      const unordered = plan.unordered(from, size);
      if (!unordered || !hasNoTimeToSortBy(error)) throw error;
      return this.hits(unordered, scope);
    }
  }

  /** The rows of a small result, in search's form. */
  async hits(statement: BoundStatement, scope: SearchScope): Promise<readonly string[]> {
    return toHits(await this.text(statement, 'ndjson', scope));
  }

  /**
   * Records may arrive during the search, and the count is another statement, so the rows on the
   * page take precedence. A page that is not full is the last one, and gives the total itself.
   */
  private async total(
    plan: SearchPlan,
    { from, size }: SearchRequest,
    found: number,
    scope: SearchScope,
  ): Promise<number> {
    if (found < size && (found > 0 || from === 0)) return from + found;
    const counted = await this.count(plan, scope);
    return found < size ? Math.min(counted, from) : Math.max(counted, found && from + found);
  }

  private async count(plan: SearchPlan, scope: SearchScope): Promise<number> {
    const { total } = JSON.parse(await this.text(plan.all, 'ndjson', scope)) as { total: number };
    return total;
  }

  private async aggregations(
    plan: SearchPlan,
    { aggs }: SearchRequest,
    scope: SearchScope,
  ): Promise<SearchResult['aggs']> {
    const results: (readonly [string, string])[] = [];
    for (const [name, sql] of aggs) {
      try {
        const statement = plan.aggregation(withMicroseconds(await this.canonical.of(sql)));
        results.push([name, toAggregates(await this.text(statement, 'ndjson', scope))]);
      } catch (error) {
        throw toAggregationError(namingField(error, plan), name);
      }
    }
    return results;
  }

  private async text(
    { sql, values }: BoundStatement,
    format: ResultFormat,
    { organization, signal, scan }: SearchScope,
  ): Promise<string> {
    const before = scan.bytes;
    const onProgress = ({ bytesRead }: QueryProgress): void => {
      scan.bytes = before + bytesRead;
    };
    return text(await this.queries.run({ sql, values, organization, format, signal, onProgress }));
  }
}

/** Rows of aggregates and of subqueries cannot be sorted by the time of a record. */
function hasNoTimeToSortBy(error: unknown): boolean {
  if (!(error instanceof MillraceError) || error.cause === undefined) return false;
  return /^(?:NOT_AN_AGGREGATE|UNKNOWN_IDENTIFIER)$/.test(toWarehouseError(error.cause).type);
}

/** The engine's message quotes our statement, in which the author would not recognize their own. */
function namingField(error: unknown, { tables }: SearchPlan): unknown {
  if (!(error instanceof MillraceError) || error.kind !== 'UNKNOWN_COLUMN') return error;
  const field = /identifier [`'](.*?)[`'](?: in scope|\.|,|$)/.exec(error.detail ?? '')?.[1];
  if (field === undefined) return error;
  const known = tables.flatMap(({ columns }) => columns.map(({ name }) => name));
  return new MillraceError(
    'UNKNOWN_COLUMN',
    `Search field not found: ${field}${didYouMean(field, known)}`,
    { detail: field, cause: error },
  );
}

/**
 * The seconds of the buckets of a plan's histogram, or of the histogram that would be drawn of its
 * rows.
 */
const intervalOf = (plan: SearchPlan, { range, histogramInterval }: PartitionRequest): number =>
  plan.histogramInterval ?? histogramInterval ?? automaticInterval(rangeSeconds(range));

const NO_HISTOGRAM =
  'Search histogram is not available: a histogram is drawn of plain rows of one stream; leave out GROUP BY, DISTINCT, LIMIT and joins, or write histogram(_timestamp) into the statement';

function tookTooLong(seconds: number): MillraceError {
  return new MillraceError(
    'QUERY_TIMEOUT',
    `the search took longer than the ${seconds} s that it asked for`,
  );
}
