import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { MillraceError, organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
import { Catalog } from '../catalog.js';
import { planTableRead } from '../frontends/tables.frontend.js';
import { didYouMean } from '../near-name.js';
import { renderTableRead } from '../plan/render-sql.js';
import { QueryPipeline } from '../query.pipeline.js';
import { streamResult } from './stream-result.js';

@Controller('api/:org')
@Requires('query')
export class TablesController {
  constructor(
    private readonly queries: QueryPipeline,
    private readonly catalog: Catalog,
  ) {}

  @Get('tables/:table')
  async rows(
    @Req() request: AuthenticatedRequest,
    @Param('table') name: string,
    @Query() parameters: Readonly<Record<string, unknown>>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const organization = organizationOf(request);
    const table = this.catalog.table(organization, name);
    if (!table) {
      const known = this.catalog.tables(organization).map((each) => each.name);
      throw new MillraceError(
        'STREAM_NOT_FOUND',
        `there is no table ${JSON.stringify(name)}${didYouMean(name, known)}`,
      );
    }
    const sql = renderTableRead(planTableRead(table, parameters));
    await streamResult(this.queries, organization, sql, request, reply);
  }
}
