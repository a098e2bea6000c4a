import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { FailuresAs } from '@app/http';
import {
  Describe,
  MillraceError,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import { quoteText, WarehouseReader, type QueryProgress } from '@app/warehouse';
import { Catalog } from '../catalog.js';
import { describedSelect } from '../dialect/catalog/described-select.js';
import { whileAdmitted } from '../http/answers/aborted-with.js';
import { readStatement } from '../http/requests/read-statement.js';
import { acceptedEncoding, streamAs } from '../http/answers/stream-result.js';
import { QueryPipeline } from '../query.pipeline.js';
import { asClickHouse } from './as-clickhouse.js';
import { readRequestParameters, type RequestParameters } from './request-parameters.js';
import { Databases } from './databases.js';
import { answerInsert } from './inserts/insert-answer.js';
import { beginningOf, rowsIn } from './inserts/insert-body.js';
import { isInsert, readInsert } from './inserts/insert-statement.js';
import { Inserts } from './inserts/inserts.js';
import { usedDatabase } from './statements/used-database.js';
import type { EngineWords } from './statements/session-functions.js';
import { SUMMARY, summaryOf } from './summary.js';
import { readFormat, takeFormat } from './statements/statement-form.js';
import { withoutEscapes } from './escaped-values.js';
import { checkDatabase, describedColumns, inMillraceWords } from './statements/statement-words.js';

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
/** Settings that would change times in rows; other settings belong to queries. */
const READS_OTHERWISE =
  /^(?:session_timezone = '(?!UTC'$)|date_time_input_format = '(?!best_effort'$))/;
/** A driver for ClickHouse needs times in its own format, and no headers for browsers. */
const WRITING = {
  date_time_output_format: 'simple',
  output_format_json_escape_forward_slashes: '1',
  format_csv_null_representation: '\\N',
};

/**
 * ClickHouse's HTTP interface for one organization. Its queries pass the same guard as all SQL, and
 * rows of an INSERT are an upload.
 */
@Controller('clickhouse')
@Requires('query')
export class ClickHouseController {
  private engine: Promise<EngineWords> | undefined;

  constructor(
    private readonly queries: QueryPipeline,
    private readonly reader: WarehouseReader,
    private readonly catalog: Catalog,
    private readonly inserts: Inserts,
    private readonly databases: Databases,
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
    // The content type depends on the format that is asked for.
    answerType: '*/*',
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
    summary:
      'The same, with the statement, or the rest of it, as the body; or rows to store, of INSERT INTO … FORMAT …',
    body: {
      schema: z.string(),
      example: 'SELECT status, count() FROM logs GROUP BY status FORMAT JSONCompact',
      contentType: 'text/plain',
    },
    query: parameters,
    answer: '200\t1234',
    // The content type depends on the format that is asked for.
    answerType: '*/*',
    failureType: 'text/plain',
    failures: FAILURES,
  })
  async post(
    @Req() request: AuthenticatedRequest,
    @Query() query: Parameters,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asked = readRequestParameters(query);
    const isNamed = asked.statement.trim() !== '';
    checkBody(request, isNamed);
    const begun = isNamed ? asked.statement : await beginningOf(request.raw);
    if (isInsert(begun)) await this.insert(asked, begun, isNamed, request, reply);
    else await this.answer(asked, await readStatement(request), request, reply);
  }

  /** @param isNamed whether the statement is in the address, so that the body has only rows */
  private async insert(
    asked: RequestParameters,
    begun: string,
    isNamed: boolean,
    request: AuthenticatedRequest,
    reply: FastifyReply,
  ): Promise<void> {
    checkNames(asked, request);
    const other = asked.settings.find((setting) => READS_OTHERWISE.test(setting));
    if (other !== undefined)
      throw new MillraceError('INVALID_PARAMETER', `${other} is not taken with INSERT`);
    const insert = readInsert(begun, organizationOf(request));
    const { stream, kind, length } = insert;
    const before = isNamed ? Buffer.from(begun).subarray(length).toString() : '';
    const rowsOf = rowsIn(insert, before, isNamed ? 0 : length);
    await answerInsert(reply, request.id, await this.inserts.store(request, { stream, kind, rowsOf })); // prettier-ignore
  }

  private async answer(
    asked: RequestParameters,
    body: string,
    request: AuthenticatedRequest,
    reply: FastifyReply,
  ): Promise<void> {
    checkNames(asked, request);
    const organization = organizationOf(request);
    const whole = [asked.statement, body].filter((each) => each.trim() !== '').join('\n');
    if (whole === '') {
      await reply.type('text/plain; charset=UTF-8').send('Ok.\n');
      return;
    }
    checkRead(whole);
    const used = usedDatabase(whole);
    if (used !== undefined) {
      checkDatabase(used, organization);
      await reply.type('text/plain; charset=UTF-8').send('');
      return;
    }
    const { text, format } = takeFormat(whole);
    const chosen =
      format ??
      asked.format ??
      readFormat(header(request, 'x-clickhouse-format') ?? DEFAULT_FORMAT);
    const session = {
      catalog: this.catalog,
      hasDatabase: (name: string) => this.databases.has(request, name),
      organization,
      user: request.caller?.email ?? '',
      engine: await this.engineWords(),
    };
    const described = describedSelect(text);
    const statement = inMillraceWords(described ?? text, session);
    const own = withSettings(statement, asked.settings);
    const values = withoutEscapes(own, asked.values);
    void reply.headers({
      'X-ClickHouse-Format': chosen.name,
      'X-ClickHouse-Timezone': 'UTC',
      'X-ClickHouse-Query-Id': request.id,
    });
    const form = {
      ...chosen,
      onRead: asked.isAwaited ? (read: QueryProgress) => tellSummary(reply, read) : undefined,
      encoding: asked.isEncoded && !asked.isCompressed ? acceptedEncoding(request) : undefined,
      writing: {
        ...WRITING,
        ...(asked.isCompressed && { compress: '1' }),
        ...(asked.protocolVersion !== undefined && {
          client_protocol_version: asked.protocolVersion,
        }),
      },
    };
    if (described === undefined) {
      await streamAs(form, this.queries, organization, own, request, reply, values);
      return;
    }
    const question = { sql: own, values, organization, signal: whileAdmitted(reply) };
    const columns = describedColumns(await this.queries.columns(question));
    await streamAs(form, this.queries, organization, columns, request, reply, {});
  }

  private engineWords(): Promise<EngineWords> {
    this.engine ??= this.reader
      .text({ sql: 'SELECT version(), revision()', format: 'text' })
      .then((text) => {
        const [version = '', revision = ''] = text.trim().split('\t');
        return { version: quoteText(version), revision: `toUInt32(${revision})` };
      })
      .catch((error: unknown) => {
        this.engine = undefined;
        throw error;
      });
    return this.engine;
  }
}

/** @throws {MillraceError} STATEMENT_REFUSED for rows in a place that is not supported */
function checkRead(statement: string): void {
  if (!isInsert(statement)) return;
  throw new MillraceError(
    'STATEMENT_REFUSED',
    'send INSERT by POST; where the body is encoded, with the statement as the parameter query, and the rows as the body',
  );
}

/** @throws {MillraceError} STREAM_NOT_FOUND for another database */
function checkNames({ database }: RequestParameters, request: AuthenticatedRequest): void {
  for (const named of [database, header(request, 'x-clickhouse-database')])
    if (named !== undefined && named !== '') checkDatabase(named, organizationOf(request));
}

function tellSummary(
  reply: FastifyReply,
  { rowsRead, bytesRead, resultRows }: QueryProgress,
): void {
  if (resultRows === undefined || reply.raw.headersSent) return;
  void reply.header(
    SUMMARY,
    summaryOf({ read_rows: rowsRead, read_bytes: bytesRead, result_rows: resultRows }),
  );
}

/** Adds the settings behind the statement's own settings. */
function withSettings(statement: string, settings: readonly string[]): string {
  if (settings.length === 0) return statement;
  const joint = /\bSETTINGS\s+\w+\s*=\s*(?:'[^']*'|[\w.]+)(?:\s*,\s*\w+\s*=\s*(?:'[^']*'|[\w.]+))*\s*$/i.test(statement) ? ',' : ' SETTINGS'; // prettier-ignore
  return `${statement}${joint} ${settings.join(', ')}`;
}

/** In these, clickhouse-connect and other clients send rows of Native behind an INSERT. */
const ENCODED_ROWS = /^(?:lz4|zstd|snappy|xz)$/i;

/**
 * @param isNamed whether the statement is in the address
 * @throws {MillraceError} INVALID_PARAMETER for external tables, UNSUPPORTED_ENCODING for a
 *   statement that is not read
 */
function checkBody({ headers }: AuthenticatedRequest, isNamed: boolean): void {
  const encoding = headers['content-encoding'] ?? '';
  if (!isNamed && ENCODED_ROWS.test(encoding))
    throw new MillraceError(
      'UNSUPPORTED_ENCODING',
      `a statement in ${encoding} is not read here; rows are taken as JSONEachRow, Arrow or Parquet, not as Native: in clickhouse-connect use raw_insert, insert_arrow or insert_df_arrow`,
    );
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
