import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Describe, organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
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
  @Describe({
    tag: 'Queries',
    summary: 'Rows of one SELECT over the streams of the organization',
    body: {
      schema: z.string(),
      example: 'SELECT status, count() AS n FROM logs GROUP BY status ORDER BY n DESC',
      contentType: 'text/plain',
    },
    answer: [{ status: 200, n: 1234 }],
    failures: {
      INVALID_SQL: 'syntax error at line 1, column 8, near "FROM"',
      STATEMENT_REFUSED: 'the statement is refused: only one SELECT is admitted',
      STREAM_NOT_FOUND: 'there is no stream "log" in organization default; did you mean "logs"?',
      QUERY_TIMEOUT: 'the query took longer than it may; ask for less, or by a narrower time range',
      RESULT_TOO_LARGE: 'the result is larger than it may be',
    },
  })
  async sql(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    const statement = await readStatement(request.raw);
    await streamResult(this.queries, organizationOf(request), statement, request, reply);
  }
}
