import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  Describe,
  MillraceError,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import type { Values } from '../guard/bind-values.js';
import { Guard } from '../guard/guard.js';
import type { TimeRange } from '../plan/time-range.js';
import { QueryPipeline } from '../query.pipeline.js';
import { readStatement } from './requests/read-statement.js';
import { readSqlParameters } from './requests/sql-parameters.js';
import { asksForProgress, streamProgress } from './answers/stream-progress.js';
import { answerForm, streamAs } from './answers/stream-result.js';

type Parameters = Readonly<Record<string, unknown>>;

const FAILURES = {
  NOT_ACCEPTABLE:
    'none of Accept: image/png can be sent; ask for application/json, application/x-ndjson, …',
  INVALID_SQL: 'syntax error at line 1, column 8, near "FROM"',
  UNKNOWN_COLUMN: 'there is no column "stauts", at line 1, column 8; did you mean "status"?',
  INVALID_PARAMETER: "the statement's {day:Date} has no value; send it as param_day",
  STATEMENT_REFUSED: 'the statement is refused: only one SELECT is admitted',
  STREAM_NOT_FOUND:
    'there is no stream "log" in organization default, at line 1, column 15; did you mean "logs"?',
  QUERY_TIMEOUT: 'the query took longer than it may; ask for less, or by a narrower time range',
  RESULT_TOO_LARGE: 'the result is larger than it may be',
} as const;

const parameters = z.object({
  'param_<name>': z.string().describe('Value of {name:Type} in the statement'),
  start_time: z.coerce
    .number()
    .int()
    .nonnegative()
    .describe(
      'Microseconds since 1970, included; 0: unbounded. Of every stream that the statement reads, by its `_timestamp`',
    ),
  end_time: z.coerce
    .number()
    .int()
    .nonnegative()
    .describe('Microseconds since 1970, excluded; 0: unbounded'),
});
const browserParameters = parameters.extend({ query: z.string().describe('The statement') });

interface Asked {
  readonly sql: string;
  readonly values: Values;
  readonly range: TimeRange | undefined;
}

@Controller()
@Requires('query')
export class SqlController {
  constructor(
    private readonly queries: QueryPipeline,
    private readonly guard: Guard,
  ) {}

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
    query: parameters,
    answer: [{ status: 200, n: 1234 }],
    failures: FAILURES,
  })
  async sql(
    @Req() request: AuthenticatedRequest,
    @Query() query: Parameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { values, range } = readSqlParameters(query, []);
    const sql = await readStatement(request);
    await this.answer({ sql, values, range }, request, reply);
  }

  /** Answers a statement from a browser's address line. */
  @Get('sql')
  @Describe({
    tag: 'Queries',
    summary: 'The same, with the statement in the URL',
    query: browserParameters,
    answer: [{ status: 200, n: 1234 }],
    failures: FAILURES,
  })
  async browse(
    @Req() request: AuthenticatedRequest,
    @Query() query: Parameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { statement: sql, values, range } = readSqlParameters(query, ['query']);
    if (sql === undefined)
      throw new MillraceError('INVALID_PARAMETER', 'send the statement as ?query=');
    await this.answer({ sql, values, range }, request, reply);
  }

  /** Lists functions for editors with completion. */
  @Get('sql/functions')
  @Describe({
    tag: 'Queries',
    summary: 'Names of the functions that a statement may call',
    answer: ['abs', 'avg', 'count', 'toStartOfHour'],
  })
  functions(): Promise<readonly string[]> {
    return this.guard.functionNames();
  }

  private async answer(
    { sql, values, range }: Asked,
    request: AuthenticatedRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const organization = organizationOf(request);
    if (asksForProgress(request)) {
      const asked = { sql, values, range, organization };
      return streamProgress(this.queries, asked, request, reply);
    }
    const form = { ...answerForm(request), range };
    await streamAs(form, this.queries, organization, sql, request, reply, values);
  }
}
