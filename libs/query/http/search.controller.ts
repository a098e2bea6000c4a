import { Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  Describe,
  organizationOf,
  readJson,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import { Scan, SearchPipeline, type SearchResult } from '../search/search.pipeline.js';
import { readAsSearch, toSearchError } from '../search/search-error.js';
import {
  checkStreamType,
  partitionBody,
  readPartition,
  readSearch,
  searchBody,
  streamType,
} from '../search/search-request.js';
import { whileAdmitted } from './answers/aborted-with.js';
import { JSON_TYPE } from './answers/negotiate.js';

const typeQuery = z.object({ type: streamType });
const searchQuery = typeQuery.extend({
  is_ui_histogram: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'true: hits are how many rows there are from time to time, `zo_sql_key` and `zo_sql_num`',
    ),
});

@Controller()
@Requires('query')
export class SearchController {
  constructor(private readonly searches: SearchPipeline) {}

  @Post('_search')
  @HttpCode(200)
  @Describe({
    tag: 'Queries',
    summary: 'A page of rows, newest first, and aggregations over all that match',
    query: searchQuery,
    body: {
      schema: searchBody,
      example: {
        query: { sql: "SELECT * FROM logs WHERE match_all('error')", from: 0, size: 1 },
        aggs: {
          hours: "SELECT histogram(_timestamp, '1 hour') AS k, count(*) AS n FROM query GROUP BY k",
        },
      },
    },
    answer: {
      took: 12,
      hits: [{ _timestamp: 1763717400000000, status: 500, message: 'an error' }],
      aggs: { hours: [{ k: '2025-11-21T09:00:00', n: 7 }] },
      total: 7,
      from: 0,
      size: 1,
      scan_size: 0.4,
    },
    failures: {
      INVALID_SEARCH: {
        code: 20002,
        message: 'there is no stream "log" in organization default; did you mean "logs"?',
        error_detail: '',
      },
      QUERY_TIMEOUT: 'the search took longer than the 5 s that it asked for',
    },
  })
  async search(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const started = performance.now();
    const search = await readAsSearch(async () => {
      const { type, is_ui_histogram: isHistogram } = searchQuery.parse(query);
      checkStreamType(type);
      const asked = readSearch(await readJson(request, searchBody));
      return { ...asked, isHistogram: isHistogram === 'true' };
    });
    const scan = new Scan();
    const scope = { organization: organizationOf(request), signal: whileAdmitted(reply), scan };
    const result = search.isHistogram
      ? await this.searches.histogram(search, scope)
      : await this.searches.run(search, scope);
    const took = Math.round(performance.now() - started);
    await reply.type(JSON_TYPE).send(answer(result, search, { took, scan }));
  }

  /** A range is searched at once, because each smaller range would cost as much as the whole. */
  @Post('_search_partition')
  @HttpCode(200)
  @Describe({
    tag: 'Queries',
    summary: 'How to ask for a range: as a whole, with buckets of so many seconds',
    query: typeQuery,
    body: {
      schema: partitionBody,
      example: {
        sql: 'SELECT * FROM logs',
        start_time: 1763713800000000,
        end_time: 1763717400000000,
      },
    },
    answer: {
      records: 7,
      histogram_interval: 30,
      is_histogram_eligible: true,
      max_query_range: 0,
      order_by: 'desc',
      partitions: [[1763713800000000, 1763717400000000]],
    },
    failures: {
      INVALID_SEARCH: {
        code: 20002,
        message: 'there is no stream "log" in organization default; did you mean "logs"?',
        error_detail: '',
      },
    },
  })
  async partition(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const asked = await readAsSearch(async () => {
      checkStreamType(typeQuery.parse(query).type);
      return readPartition(await readJson(request, partitionBody));
    });
    const scope = {
      organization: organizationOf(request),
      signal: whileAdmitted(reply),
      scan: new Scan(),
    };
    try {
      const found = await this.searches.partition(asked, scope);
      return {
        records: found.records,
        histogram_interval: found.histogramInterval,
        is_histogram_eligible: found.isHistogramEligible,
        max_query_range: 0,
        order_by: 'desc',
        partitions: [[asked.range.start ?? 0, asked.range.end]],
      };
    } catch (error) {
      throw toSearchError(error);
    }
  }
}

/** The rows are JSON already; parsing them would cost time and the precision of long numbers. */
export function answer(
  { hits, aggs, total, histogramInterval }: SearchResult,
  { from, size }: { readonly from: number; readonly size: number },
  { took, scan }: { readonly took: number; readonly scan: Scan },
): string {
  const named = aggs.map(([name, rows]) => `${JSON.stringify(name)}:${rows}`);
  return (
    `{"took":${took},"hits":[${hits.join(',')}],` +
    (named.length > 0 ? `"aggs":{${named.join(',')}},` : '') +
    (histogramInterval === undefined ? '' : `"histogram_interval":${histogramInterval},`) +
    `"total":${total},"from":${from},"size":${size},"scan_size":${(scan.bytes / 1e6).toFixed(3)}}`
  );
}
