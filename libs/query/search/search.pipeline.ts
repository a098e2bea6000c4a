import { text } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { didYouMean, MillraceError, type RequestOrganization } from '@app/platform';
import { toWarehouseError, type QueryProgress, type ResultFormat } from '@app/warehouse';
import { Catalog } from '../catalog.js';
import type { BoundStatement } from '../plan/bindings.js';
import { QueryPipeline } from '../query.pipeline.js';
import { CanonicalText } from './canonical-text.js';
import { toHits } from './hits.js';
import { toAggregationError, toSearchError } from './search-error.js';
import { planSearch, type SearchPlan } from './search-plan.js';
import type { SearchRequest } from './search-request.js';

/** Where a search runs, and what ends it. */
export interface SearchScope {
  readonly organization: RequestOrganization;
  readonly signal: AbortSignal;
  /** Counts what the engine reads for it. */
  readonly scan: Scan;
}

/** Bytes that the engine has read. */
export class Scan {
  bytes = 0;
}

/** What a search found; rows are JSON objects as the engine wrote them. */
export interface SearchResult {
  readonly hits: readonly string[];
  readonly total: number;
  /** By name, a JSON array of rows. */
  readonly aggs: readonly (readonly [string, string])[];
}

/** The way of a search: statement → engine's print → plan → a page, a count, aggregations. */
@Injectable()
export class SearchPipeline {
  constructor(
    private readonly queries: QueryPipeline,
    private readonly canonical: CanonicalText,
    private readonly catalog: Catalog,
  ) {}

  /** @throws {MillraceError} with a search code */
  async run(request: SearchRequest, caller: SearchScope): Promise<SearchResult> {
    const { timeoutSeconds } = request;
    const limit = timeoutSeconds > 0 ? AbortSignal.timeout(timeoutSeconds * 1000) : undefined;
    const signal = limit ? AbortSignal.any([caller.signal, limit]) : caller.signal;
    const scope = { ...caller, signal };
    try {
      return await this.answer(await this.plan(request, scope.organization), request, scope);
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
      const total = await this.count(plan, scope);
      return { hits, total, aggs: await this.aggregations(plan, request, scope) };
    } catch (error) {
      throw namingField(error, plan);
    }
  }

  /** Rows of an aggregation over `query`, which are those that a statement and a time range select. */
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
    { sql, range }: Pick<SearchRequest, 'sql' | 'range'>,
    organization: RequestOrganization,
  ): Promise<SearchPlan> {
    const canonical = await this.canonical.of(sql);
    return planSearch(canonical, range, (name) => this.catalog.table(organization, name));
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

  /** Rows of a small result, as search answers them. */
  async hits(statement: BoundStatement, scope: SearchScope): Promise<readonly string[]> {
    return toHits(await this.text(statement, 'ndjson', scope));
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
        const statement = plan.aggregation(await this.canonical.of(sql));
        results.push([name, (await this.text(statement, 'json', scope)).trim()]);
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

/** Aggregates and rows of subqueries cannot be sorted by the time of a record. */
function hasNoTimeToSortBy(error: unknown): boolean {
  if (!(error instanceof MillraceError) || error.cause === undefined) return false;
  return /^(?:NOT_AN_AGGREGATE|UNKNOWN_IDENTIFIER)$/.test(toWarehouseError(error.cause).type);
}

/** The engine tells of our statement, in which the author's own is hard to find again. */
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

function tookTooLong(seconds: number): MillraceError {
  return new MillraceError(
    'QUERY_TIMEOUT',
    `the search took longer than the ${seconds} s that it asked for`,
  );
}
