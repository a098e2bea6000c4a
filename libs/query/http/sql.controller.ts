import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
import { QueryPipeline } from '../query.pipeline.js';
import { readStatement } from './read-statement.js';
import { streamResult } from './stream-result.js';

@Controller('api/:org')
@Requires('query')
export class SqlController {
  constructor(private readonly queries: QueryPipeline) {}

  /** The body is one SELECT; the answer is its rows. */
  @Post('sql')
  @HttpCode(200)
  async sql(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    const statement = await readStatement(request.raw);
    await streamResult(this.queries, organizationOf(request), statement, request, reply);
  }
}
