import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  Describe,
  FailuresAs,
  MillraceError,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import { WarehouseReader } from '@app/warehouse';
import { Catalog } from '../catalog.js';
import { readStatement } from '../http/read-statement.js';
import { acceptedEncoding, streamAs } from '../http/stream-result.js';
import { QueryPipeline } from '../query.pipeline.js';
import { asClickHouse } from './as-clickhouse.js';
import { readRequestParameters, type RequestParameters } from './request-parameters.js';
import { readFormat, takeFormat } from './statement-form.js';
import { checkDatabase, inMillraceWords } from './statement-words.js';

type Parameters = Readonly<Record<string, unknown>>;

const FAILURES = {
  INVALID_SQL:
    'Code: 62. DB::Exception: syntax error at line 1, column 8, near "FROM". (SYNTAX_ERROR)',
  STREAM_NOT_FOUND: 'Code: 60. DB::Exception: there is no stream "log" …. (UNKNOWN_TABLE)',
  STATEMENT_REFUSED: 'Code: 497. DB::Exception: the statement is refused: …. (ACCESS_DENIED)',
} as const;

const parameters = z.object({
  query: z.string().describe('The statement, or its beginning; the body follows it'),
  database: z.string().describe("The organization's name, if anything"),
  default_format: z.string().describe('Where the statement has no FORMAT'),
  'param_<name>': z.string().describe('Value of {name:Type} in the statement'),
});

const DEFAULT_FORMAT = 'TabSeparated';
/** Of a driver for ClickHouse: times as it reads them, and nothing that a browser needs. */
const WRITING = {
  date_time_output_format: 'simple',
  output_format_json_escape_forward_slashes: '1',
  format_csv_null_representation: '\\N',
};

/** ClickHouse's HTTP interface for one organization: read-only, and by the same guard as all SQL. */
@Controller('clickhouse')
@Requires('query')
export class ClickHouseController {
  private version: Promise<string> | undefined;

  constructor(
    private readonly queries: QueryPipeline,
    private readonly reader: WarehouseReader,
    private readonly catalog: Catalog,
  ) {}

  @Get('ping')
  @FailuresAs(asClickHouse)
  @Describe({
    tag: 'Clients of ClickHouse',
    summary: 'Whether the server is there',
    answer: 'Ok.',
    answerType: 'text/plain',
    failureType: 'text/plain',
  })
  ping(): string {
    return 'Ok.\n';
  }

  @Get()
  @FailuresAs(asClickHouse)
  @Describe({
    tag: 'Clients of ClickHouse',
    summary: 'Rows of one SELECT, as ClickHouse’s HTTP interface gives them',
    query: parameters,
    answer: '200\t1234',
    answerType: 'text/plain',
    failureType: 'text/plain',
    failures: FAILURES,
  })
  async get(
    @Req() request: AuthenticatedRequest,
    @Query() query: Parameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer(readRequestParameters(query), '', request, reply);
  }

  @Post()
  @HttpCode(200)
  @FailuresAs(asClickHouse)
  @Describe({
    tag: 'Clients of ClickHouse',
    summary: 'The same, with the statement, or the rest of it, as the body',
    body: {
      schema: z.string(),
      example: 'SELECT status, count() FROM logs GROUP BY status FORMAT JSONCompact',
      contentType: 'text/plain',
    },
    query: parameters,
    answer: '200\t1234',
    answerType: 'text/plain',
    failureType: 'text/plain',
    failures: FAILURES,
  })
  async post(
    @Req() request: AuthenticatedRequest,
    @Query() query: Parameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asked = readRequestParameters(query);
    checkRead(asked.statement);
    checkBody(request);
    await this.answer(asked, await readStatement(request.raw), request, reply);
  }

  private async answer(
    asked: RequestParameters,
    body: string,
    request: AuthenticatedRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const organization = organizationOf(request);
    for (const named of [asked.database, header(request, 'x-clickhouse-database')])
      if (named !== undefined && named !== '') checkDatabase(named, organization);
    const whole = [asked.statement, body].filter((each) => each.trim() !== '').join('\n');
    if (whole === '') {
      await reply.type('text/plain; charset=UTF-8').send('Ok.\n');
      return;
    }
    checkRead(whole);
    const { text, format } = takeFormat(whole);
    const chosen =
      format ??
      asked.format ??
      readFormat(header(request, 'x-clickhouse-format') ?? DEFAULT_FORMAT);
    const statement = inMillraceWords(text, {
      catalog: this.catalog,
      organization,
      user: request.caller?.email ?? '',
      version: await this.engineVersion(),
    });
    void reply.headers({
      'X-ClickHouse-Format': chosen.name,
      'X-ClickHouse-Timezone': 'UTC',
      'X-ClickHouse-Query-Id': request.id,
    });
    const form = {
      ...chosen,
      encoding: asked.isEncoded && !asked.isCompressed ? acceptedEncoding(request) : undefined,
      writing: {
        ...WRITING,
        ...(asked.isCompressed && { compress: '1', wait_end_of_query: '1' }),
        ...(asked.protocolVersion !== undefined && {
          client_protocol_version: asked.protocolVersion,
        }),
      },
    };
    const sql = withSettings(statement, asked.settings);
    await streamAs(form, this.queries, organization, sql, request, reply, asked.values);
  }

  private engineVersion(): Promise<string> {
    this.version ??= this.reader
      .text({ sql: 'SELECT version()', format: 'text' })
      .then((text) => text.trim())
      .catch((error: unknown) => {
        this.version = undefined;
        throw error;
      });
    return this.version;
  }
}

/** @throws {MillraceError} STATEMENT_REFUSED for what writes, with the way that there is */
function checkRead(statement: string): void {
  if (/^[\s(]*INSERT\b/i.test(statement))
    throw new MillraceError(
      'STATEMENT_REFUSED',
      'INSERT is not taken here: upload by POST /api/{org}/{stream}/_json, _csv, _parquet or _arrow',
    );
}

/** Behind the statement's own, which come first. */
function withSettings(statement: string, settings: readonly string[]): string {
  if (settings.length === 0) return statement;
  const joint = /\bSETTINGS\s+\w+\s*=\s*(?:'[^']*'|[\w.]+)(?:\s*,\s*\w+\s*=\s*(?:'[^']*'|[\w.]+))*\s*$/i.test(statement) ? ',' : ' SETTINGS'; // prettier-ignore
  return `${statement}${joint} ${settings.join(', ')}`;
}

/** @throws {MillraceError} INVALID_PARAMETER for tables that come with the statement */
function checkBody({ headers }: AuthenticatedRequest): void {
  if (!/^multipart\//i.test(headers['content-type'] ?? '')) return;
  throw new MillraceError(
    'INVALID_PARAMETER',
    'external tables are not taken here: send the statement as the body, and values as param_<name> in the address',
  );
}

function header({ headers }: AuthenticatedRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
