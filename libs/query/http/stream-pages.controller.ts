import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  didYouMean,
  Describe,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
  type RequestOrganization,
} from '@app/platform';
import { Catalog, type TableDescription } from '../catalog.js';
import { findColumn } from '../frontends/tables.frontend.js';
import { columnKind } from '../plan/bound-value.js';
import { readAsSearch, SEARCH_CODE, searchError, toSearchError } from '../search/search-error.js';
import {
  checkStreamType,
  fromBase64,
  queryFunction,
  readRange,
  SIZE_MAX,
  streamType,
  unsupported,
} from '../search/search-request.js';
import { Scan, SearchPipeline, type SearchScope } from '../search/search.pipeline.js';
import { rowsWhere, sideOf, topValues } from '../search/stream-pages.js';
import { whileAdmitted } from './answers/aborted-with.js';
import { JSON_TYPE } from './answers/negotiate.js';
import { answer } from './search.controller.js';

const FIELDS_MAX = 100;
const TIME_MAX = 10_413_792_000_000_000;
const size = z.coerce.number().int().min(0).max(SIZE_MAX).default(10);
const time = z.coerce.number().int().min(0).max(TIME_MAX).default(0);

/** The common parameters, and those of OpenObserve's that would change the answers. */
const pageQuery = z.object({
  type: streamType,
  query_fn: queryFunction,
  sort_by: unsupported('rows are newest first, and values the most frequent first'),
});
const valuesQuery = pageQuery.extend({
  fields: z.string().default('').describe('Names of columns, with commas between them'),
  filter: z
    .string()
    .default('')
    .describe('A condition of SQL, as after WHERE; all rows without it'),
  sql: z
    .string()
    .default('')
    .describe('In base64, a SELECT whose rows are counted, instead of all and of `filter`'),
  keyword: z.string().default('').describe('Only values that have this text in them, in any case'),
  no_count: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true: values in their own order, without their numbers'),
  size,
  start_time: time.describe('Microseconds since 1970, included; 0: unbounded'),
  end_time: time.describe('Microseconds since 1970, excluded; 0: unbounded'),
});
const aroundQuery = pageQuery.extend({
  key: time.describe('`_timestamp` of the row that is looked at, in microseconds since 1970'),
  size,
  sql: unsupported('it is not taken here; put the condition into POST …/_search'),
});

@Controller()
@Requires('query')
export class StreamPagesController {
  constructor(
    private readonly searches: SearchPipeline,
    private readonly catalog: Catalog,
  ) {}

  @Get(':stream/_values')
  @Describe({
    tag: 'Queries',
    summary: 'The most frequent values of columns',
    query: valuesQuery,
    answer: {
      took: 3,
      hits: [{ field: 'status', values: [{ zo_sql_key: 200, zo_sql_num: 41 }] }],
      total: 1,
      from: 0,
      size: 10,
      scan_size: 0.1,
    },
    failures: {
      INVALID_SEARCH: {
        code: 20001,
        message: 'fields is empty; name columns: ?fields=a,b',
        error_detail: '',
      },
    },
  })
  async values(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asked = await readAsSearch(() => valuesQuery.parse(query));
    checkStreamType(asked.type);
    await this.page(request, reply, asked.size, async (scope) => {
      const range = readRange(asked.start_time, asked.end_time);
      const table = this.table(scope.organization, name);
      const hits: string[] = [];
      const rows = { sql: rowsOf(table, asked), range };
      const { keyword, no_count: uncounted, size } = asked;
      const wanted = { size, keyword, isUncounted: uncounted === 'true' };
      for (const column of fieldsOf(table, asked.fields)) {
        const top = topValues(column, wanted);
        const values = await this.searches.aggregate(rows, top, scope);
        hits.push(`{"field":${JSON.stringify(column)},"values":[${values.join(',')}]}`);
      }
      return hits;
    });
  }

  @Get(':stream/_around')
  @Describe({
    tag: 'Queries',
    summary: 'Rows of the quarter of an hour before and after a time, newest first',
    query: aroundQuery,
    answer: {
      took: 3,
      hits: [{ _timestamp: 1763717400000000, status: 200 }],
      total: 1,
      from: 0,
      size: 10,
      scan_size: 0.1,
    },
    failures: {
      INVALID_SEARCH: {
        code: 20001,
        message: 'around key is empty; send the _timestamp of a row as ?key=',
        error_detail: '',
      },
    },
  })
  async around(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { key, size, type } = await readAsSearch(() => aroundQuery.parse(query));
    checkStreamType(type);
    await this.page(request, reply, size, async (scope) => {
      const table = this.table(scope.organization, name);
      if (key === 0) {
        throw searchError(
          SEARCH_CODE.invalidSql,
          'around key is empty; send the _timestamp of a row as ?key=',
        );
      }
      readRange(key, 0);
      const half = Math.ceil(size / 2);
      const after = await this.searches.hits(sideOf(table, key, 'after', half), scope);
      const before = await this.searches.hits(sideOf(table, key, 'before', size - half), scope);
      return [...after.toReversed(), ...before];
    });
  }

  /** Answers with the hits that `find` finds. @throws {MillraceError} as a search does */
  private async page(
    request: AuthenticatedRequest,
    reply: FastifyReply,
    size: number,
    find: (scope: SearchScope) => Promise<readonly string[]>,
  ): Promise<void> {
    const started = performance.now();
    const scan = new Scan();
    const scope = { organization: organizationOf(request), signal: whileAdmitted(reply), scan };
    try {
      const hits = await find(scope);
      const result = { hits, total: hits.length, aggs: [] };
      const took = Math.round(performance.now() - started);
      await reply.type(JSON_TYPE).send(answer(result, { from: 0, size }, { took, scan }));
    } catch (error) {
      throw toSearchError(error);
    }
  }

  private table(organization: RequestOrganization, name: string): TableDescription {
    const table = this.catalog.table(organization, name);
    if (table) return table;
    const known = this.catalog.tables(organization).map((each) => each.name);
    throw searchError(
      SEARCH_CODE.streamNotFound,
      `Search stream not found: ${name}${didYouMean(name, known)}`,
    );
  }
}

/** SQL of the rows whose values are counted. */
function rowsOf(
  table: TableDescription,
  { filter, sql }: Pick<z.infer<typeof valuesQuery>, 'filter' | 'sql'>,
): string {
  if (sql === '') return rowsWhere(table, filter);
  if (filter.trim() === '') return fromBase64(sql);
  throw searchError(SEARCH_CODE.invalidSql, 'send sql or filter, not both');
}

function fieldsOf(table: TableDescription, list: string): readonly string[] {
  const names = [...new Set(list.split(',').filter((name) => name !== ''))];
  if (names.length === 0)
    throw searchError(SEARCH_CODE.invalidSql, 'fields is empty; name columns: ?fields=a,b');
  if (names.length > FIELDS_MAX)
    throw searchError(SEARCH_CODE.invalidSql, `at most ${FIELDS_MAX} fields, not ${names.length}`);
  return names.map((name) => {
    const column = findColumn(table, name);
    if (!/^(?:list|object)$/.test(columnKind(column.type))) return column.name;
    throw searchError(
      SEARCH_CODE.incompatibleType,
      `Search field has no compatible data type: ${name}; it holds lists or objects`,
    );
  });
}
