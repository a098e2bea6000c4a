import { Readable, Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Injectable, Optional } from '@nestjs/common';
import { MillraceError, traced, type RequestOrganization } from '@app/platform';
import {
  TableAsideError,
  WarehouseReader,
  WholeResult,
  type Column,
  type QueryProgress,
  type AnswerFormat,
  type WarehouseQuery,
} from '@app/warehouse';
import { Catalog } from './catalog.js';
import { rowsOfColumns } from './dialect/catalog/catalog-statements.js';
import { describedSelect } from './dialect/catalog/described-select.js';
import { KnownNames } from './dialect/known-names.js';
import { givenColumns } from './dialect/names/passed-columns.js';
import type { Values } from './guard/bind-values.js';
import { Guard } from './guard/guard.js';
import { Verdicts } from './guard/verdicts.js';
import { OrganizationQueries, type Turn } from './organization-queries.js';
import { withOwnTypes } from './own-types/with-own-types.js';
import { fitColumns, hasStructs, needsFitting } from './plan/fit-columns.js';
import { isUnknownName, toQueryFailure, unreadable } from './failures/query-failure.js';
import { withinTime, type TimeRange } from './plan/time-range.js';
import { UnreadableTables } from './unreadable-tables.js';

/** A statement, and its caller. */
export interface QueryQuestion {
  /** The statement as its author, or a frontend, wrote it. */
  readonly sql: string;
  /** The values of its `{name:Type}` placeholders, in the engine's notation. */
  readonly values?: Values;
  readonly organization: RequestOrganization;
  readonly signal: AbortSignal;
}

interface QueryRequest extends QueryQuestion {
  readonly format: AnswerFormat;
  /** The query's id in the engine. */
  readonly id?: string;
  readonly onProgress?: (progress: QueryProgress) => void;
  /** Is called with the progress as the warehouse reports it. */
  readonly onReading?: (progress: QueryProgress) => void;
  /** The range of the rows' `_timestamp`; undefined: all. */
  readonly range?: TimeRange | undefined;
  /**
   * The engine's settings for the form of the answer; the statement's own settings take precedence.
   */
  readonly writing?: Readonly<Record<string, string>>;
  /**
   * Tells of the engine's formats, which show values as the engine does, whether columns of a type are
   * shown as in JSON.
   */
  readonly asJson?: (type: string) => boolean;
  /** Set if only the columns of the answer are needed, and not its rows. */
  readonly withoutRows?: true;
}

/** The way of a query: its organization's turn → guard → warehouse → bytes. */
@Injectable()
export class QueryPipeline {
  private readonly names: KnownNames | undefined;
  /** A cache of the columns of statements whose tables do not change. */
  private readonly described = new Verdicts<readonly Column[]>();

  constructor(
    private readonly guard: Guard,
    private readonly reader: WarehouseReader,
    private readonly organizations: OrganizationQueries,
    @Optional() private readonly unreadable?: UnreadableTables,
    @Optional() private readonly catalog?: Catalog,
  ) {
    this.names = catalog && new KnownNames(catalog);
  }

  /**
   * Runs a query. Its turn ends with the stream, or earlier when the result is whole. A caller of
   * several queries must read each stream to its end or destroy it, because the others may wait for
   * its turn.
   * @throws {MillraceError} before the first byte; later failures are the stream's.
   */
  async run(request: QueryRequest): Promise<Readable> {
    const described = describedSelect(request.sql);
    if (described === undefined) return this.rows(request);
    const columns = await this.columns({ ...request, sql: described });
    return this.rows({ ...request, sql: rowsOfColumns(columns), values: {} });
  }

  private async rows(request: QueryRequest): Promise<Readable> {
    const { organization, signal } = request;
    const turn = await this.organizations.enter(organization.share, signal);
    const account = new QueryAccount(turn);
    try {
      const rows = await this.byNames(request, (named) => this.read(named, account));
      return counted(rows, account, request.sql);
    } catch (error) {
      account.close();
      throw await this.failureOf(error, request);
    }
  }

  /**
   * The columns that a statement would have, without reading a row.
   * @throws {MillraceError} as `run` does
   */
  async columns(question: QueryQuestion): Promise<readonly Column[]> {
    const { organization, signal } = question;
    const turn = await this.organizations.enter(organization.share, signal);
    try {
      return await this.byNames(question, (named) => this.columnsOfQuestion(named));
    } catch (error) {
      throw await this.failureOf(error, question);
    } finally {
      turn.end(0);
    }
  }

  private async failureOf(error: unknown, { sql, organization }: QueryQuestion): Promise<unknown> {
    const found = await this.unreadable?.note(error, organization.database);
    if (!found) return toQueryFailure(error, sql);
    return found.isAside ? new TableAsideError(found.table) : unreadable(error, found.table);
  }

  private async columnsOfQuestion(question: QueryQuestion): Promise<readonly Column[]> {
    const { sql, values, organization, signal } = question;
    const { statement, alike, settings, explains } = await this.guard.admit(
      sql,
      organization,
      values,
    );
    if (explains) return [{ name: 'explain', type: 'String' }];
    const { database } = organization;
    return this.columnsOf({ sql: statement, settings, database, format: 'json', signal }, alike);
  }

  /** A name in another case is corrected only if no object has exactly that name. */
  private async byNames<Asked extends QueryQuestion, Answer>(
    asked: Asked,
    answer: (asked: Asked) => Promise<Answer>,
  ): Promise<Answer> {
    const { organization } = asked;
    const sql = this.names?.first(asked.sql, organization) ?? asked.sql;
    try {
      return await answer({ ...asked, sql });
    } catch (error) {
      const written = isUnknownName(error) ? this.names?.written(sql, organization) : undefined;
      if (written === undefined) throw error;
      const answered = await answer({ ...asked, sql: written });
      this.names?.keep(asked.sql, organization);
      return answered;
    }
  }

  private async read(request: QueryRequest, account: QueryAccount): Promise<Readable> {
    const { sql, values, organization, format, signal, id, onProgress, onReading } = request;
    const { writing, range, withoutRows, asJson } = request;
    const admitted = await traced('guard', () => this.guard.admit(sql, organization, values));
    const { statement, alike, settings, explains, wallTimes, tables } = admitted;
    if (explains && (!TEXTUAL.has(format) || writing?.['compress'] !== undefined)) {
      throw new MillraceError('INVALID_PARAMETER', 'EXPLAIN answers text; ask for JSON or CSV');
    }
    await this.catalog?.settled(organization, statement);
    const { database } = organization;
    const within = range && withinTime(database, tables, range);
    const query: WarehouseQuery = {
      sql: statement,
      settings: { ...writing, ...settings, ...within },
      database,
      format,
      signal,
      onSample: (progress) => account.read(progress),
      ...(id !== undefined && { id }),
    };
    const isFitted = needsFitting(format, wallTimes) || (asJson !== undefined && wallTimes);
    const columns = isFitted && !explains ? await this.columnsOf(query, alike) : undefined;
    // An answer that the engine has compressed cannot be read here.
    const isCompressed = writing?.['compress'] !== undefined;
    const given = hasStructs(format) ? givenColumns(statement, tables) : undefined;
    const fitted = columns && fitColumns(statement, asJson ? unlessJson(columns, asJson) : columns, format, given, !isCompressed); // prettier-ignore
    const fittedSql = fitted?.sql ?? statement;
    const asked = withoutRows ? `SELECT * FROM (\n${fittedSql}\n) LIMIT 0` : fittedSql;
    const told = { ...(onProgress && { onProgress }), ...(onReading && { onReading }) };
    const question = { ...query, ...told, sql: asked };
    const rows = await traced('read', () => this.reader.stream(question), { kind: 'client' });
    if (explains) return Readable.from(withoutDatabase(rows, organization), { objectMode: false });
    if (isCompressed) return rows;
    return withOwnTypes(rows, format, fitted?.columns, 'session_timezone' in settings);
  }

  /** @param alike a statement with the same columns */
  private async columnsOf(query: WarehouseQuery, alike: string): Promise<readonly Column[]> {
    if (!this.catalog?.hasLastingTables) return this.describe(query);
    const { database, format, settings } = query;
    const key = JSON.stringify([database, format, settings, alike]);
    const known = this.described.get(key);
    if (known !== undefined) return known;
    const columns = await this.describe(query);
    this.described.set(key, columns);
    return columns;
  }

  private async describe(query: WarehouseQuery): Promise<readonly Column[]> {
    const describing = {
      ...query,
      sql: `DESCRIBE TABLE (\n${query.sql}\n)`,
      format: 'json',
    } as const;
    return JSON.parse(await text(await this.reader.stream(describing))) as Column[];
  }
}

const TEXTUAL = new Set<AnswerFormat>([
  ...(['json', 'ndjson', 'csv'] as const),
  ...(['TabSeparated', 'TabSeparatedRaw', 'TabSeparatedWithNames', 'CSV', 'CSVWithNames'] as const),
  ...(['JSON', 'JSONCompact', 'JSONEachRow', 'JSONCompactEachRow'] as const),
  'JSONCompactEachRowWithNamesAndTypes',
]);

/** A plan is short, and names the organization's database as only the engine should. */
async function* withoutDatabase(
  plan: Readable,
  { database, name }: RequestOrganization,
): AsyncGenerator<Buffer> {
  yield Buffer.from((await text(plan)).replaceAll(`${database}.`, '').replaceAll(database, name));
}

/** Counts what one query takes of its organization's allowance. */
class QueryAccount {
  private bytes = 0;
  private progress: QueryProgress | undefined;

  constructor(private readonly turn: Turn) {}

  sent(bytes: number): void {
    this.bytes += bytes;
  }

  read(progress: QueryProgress): void {
    this.progress = progress;
  }

  close(): void {
    this.turn.end(this.bytes, this.progress);
  }
}

/** @param sql as its author wrote it, for the messages of failures */
function counted(rows: Readable, account: QueryAccount, sql: string): Readable {
  if (rows instanceof WholeResult) {
    account.sent(rows.bytes.length);
    account.close();
    return rows;
  }
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      account.sent(chunk.length);
      done(null, chunk);
    },
  });
  rows.on('error', (error) => {
    const failure = toQueryFailure(error, sql);
    counter.destroy(failure instanceof Error ? failure : error);
  });
  // The sender may have stopped listening when its client left.
  counter.on('error', () => undefined);
  counter.once('close', () => {
    rows.destroy();
    account.close();
  });
  return rows.pipe(counter);
}

/** The columns, of which those that are not shown as JSON seem to need nothing. */
const unlessJson = (
  columns: readonly Column[],
  asJson: (type: string) => boolean,
): readonly Column[] => columns.map((each) => (asJson(each.type) ? each : { ...each, type: '' }));
