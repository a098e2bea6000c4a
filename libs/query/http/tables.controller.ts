import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { NamedRoute } from '@app/http';
import { Describe, organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
import { Catalog } from '../catalog.js';
import { FILTER_OPERATORS } from '../frontends/table-filter.js';
import { planTableRead } from '../frontends/tables.frontend.js';
import { renderTableRead } from '../plan/render-sql.js';
import { QueryPipeline } from '../query.pipeline.js';
import { entityTag, isKnown } from './answers/entity-tag.js';
import { knownTable } from './requests/known-table.js';
import { streamResult, varyByForm } from './answers/stream-result.js';

/** Describes the parameters for the OpenAPI page; the frontend parses them, with better messages. */
const tableQuery = z.object({
  columns: z.string().describe('Names, with commas between them; all when absent'),
  sort: z.string().describe('Names, with commas between them; `-` before one: descending'),
  limit: z.coerce.number().int().nonnegative(),
  offset: z.coerce.number().int().nonnegative(),
  page: z.coerce.number().int().positive().describe('From 1, of `limit` rows; instead of `offset`'),
  'filter[column]operator': z
    .string()
    .describe(
      `A condition on a column; repeat for more, all of them hold. No operator: equal. Operators: ${FILTER_OPERATORS.join(', ')}. Lists: \`filter[status]in=200,404\`. Text may stand in single quotes. \`null\` with eq or ne asks for null. Times: ISO 8601, or a number since 1970.`,
    ),
});

@Controller()
@Requires('query')
export class TablesController {
  constructor(
    private readonly queries: QueryPipeline,
    private readonly catalog: Catalog,
  ) {}

  @Get('tables/:table')
  @NamedRoute()
  @Describe({
    tag: 'Queries',
    summary: 'Rows of a stream',
    query: tableQuery,
    answer: [{ _timestamp: '2026-11-21T09:30:00.000000Z', status: 200 }],
    failures: {
      NOT_ACCEPTABLE:
        'none of Accept: image/png can be sent; ask for application/json, application/x-ndjson, …',
      UNKNOWN_COLUMN: 'table logs has no column "stauts"; did you mean "status"?',
      INVALID_PARAMETER: 'unknown parameter "limt"; did you mean "limit"?',
      STREAM_NOT_FOUND: 'there is no table "log"; did you mean "logs"?',
    },
  })
  async rows(
    @Req() request: AuthenticatedRequest,
    @Param('table') name: string,
    @Query() parameters: Readonly<Record<string, unknown>>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const organization = organizationOf(request);
    const table = knownTable(this.catalog, organization, name);
    const { sql, values } = renderTableRead(planTableRead(table, parameters));
    const version = await this.catalog.version(organization, name);
    const tag = version && entityTag([version, sql, values, request.headers.accept]);
    if (tag && isKnown(request.headers['if-none-match'], tag)) {
      varyByForm(reply);
      await reply.status(304).header('ETag', tag).send();
      return;
    }
    if (tag) void reply.header('ETag', tag);
    try {
      await streamResult(this.queries, organization, sql, request, reply, values);
    } catch (error) {
      void reply.removeHeader('ETag');
      throw error;
    }
  }
}
