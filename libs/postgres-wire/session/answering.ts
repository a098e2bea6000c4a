import { certain } from '@app/platform';
import type { Catalog, QueryPipeline, TableHold } from '@app/query';
import type { RequestOrganization } from '@app/platform';
import type { Column } from '@app/warehouse';
import { catalogQuestion, readAnswer, type CatalogAnswer } from '../catalog/catalog-answer.js';
import type { CatalogPostgres } from '../catalog/catalog-postgres.js';
import { inNewerNames } from '../catalog/newer-names.js';
import { catalogTables } from '../catalog/catalog-tables.js';
import type { PostgresDoor } from '../postgres-door.js';
import type { Bind } from '../protocol/front-messages.js';
import { asksCatalog } from '../statements/catalog-statement.js';
import { parameterTypes, textsOfBytes } from '../statements/parameter-types.js';
import { isName, type StatementText } from '../statements/postgres-tokens.js';
import { refuseRowLocks } from '../statements/row-locks.js';
import { anyValue, parameterValue } from '../values/parameter-value.js';
import { catalogFailure, catalogRows } from './catalog-rows.js';
import { EngineRows } from './engine-rows.js';
import { toPostgresError } from './postgres-failure.js';
import { boundText, prepared, type PreparedStatement } from './prepared-statement.js';
import type { Rows } from './rows.js';

/** The components that answer statements. */
export interface Answerers {
  readonly queries: QueryPipeline;
  readonly catalog: Catalog;
  readonly door: PostgresDoor;
  readonly postgres: CatalogPostgres;
}

export type Values = Pick<Bind, 'values' | 'formats' | 'resultFormats'>;

export const NO_VALUES: Values = { values: [], formats: [], resultFormats: [] };

/**
 * Tells whether unsigned numbers may exceed PostgreSQL's bigint: columns of UInt64, hashes, and
 * large literals may. A count never does.
 */
const isWide = (text: string, columns: readonly Column[]): boolean =>
  /\d{19}|UInt64|hash|crc|fingerprint|bit|rand/i.test(text) ||
  columns.some(({ type }) => type.includes('UInt64'));

/** Runs statements of one user in one database, by the engine or by PostgreSQL's catalog. */
export class Answering {
  constructor(
    private readonly by: Answerers,
    private readonly user: string,
    private readonly database: string,
  ) {}

  /** @throws {MillraceError} @throws {PostgresError} 25006 */
  prepare(statement: StatementText, given: readonly number[]): PreparedStatement {
    const { tokens } = statement;
    refuseRowLocks(tokens);
    return this.held((organization) => {
      const isTable = (name: string): boolean =>
        this.by.catalog.table(organization, name) !== undefined;
      const named = tokens.filter(isName).flatMap(({ value }) => this.by.catalog.table(organization, value)?.columns ?? []); // prettier-ignore
      return prepared(
        statement,
        () => asksCatalog(tokens, isTable),
        given,
        (kind) =>
          kind === 'engine'
            ? { types: parameterTypes(tokens, given, named), bytes: textsOfBytes(tokens, named) }
            : { types: given, bytes: new Set<number>() },
        isWide(statement.text, named),
      );
    });
  }

  /** @throws {PostgresError} */
  async columns(asked: PreparedStatement, signal: AbortSignal): Promise<readonly Column[]> {
    const { written, values } = boundText(asked, asked.types.map(anyValue), this.database);
    const hold = this.hold();
    try {
      const { organization } = hold;
      return await this.by.queries.columns({ sql: written.text, values, organization, signal });
    } catch (error) {
      throw toPostgresError(error, written);
    } finally {
      hold.release();
    }
  }

  /**
   * Gives PostgreSQL's description of a statement about its catalog without running it.
   * @throws {PostgresError}
   */
  async describeCatalog(asked: PreparedStatement, signal: AbortSignal): Promise<CatalogAnswer> {
    const answer = readAnswer(await this.askCatalog(asked, undefined, signal));
    if (answer.failure) throw catalogFailure(answer.failure);
    return answer;
  }

  /** @throws {PostgresError} */
  async rows(asked: PreparedStatement, values: Values, signal: AbortSignal): Promise<Rows> {
    if (asked.kind === 'catalog') return catalogRows(await this.askCatalog(asked, values, signal));
    const bound = values.values.map(
      (value, at) =>
        value &&
        parameterValue(
          certain(asked.types[at], `type of value ${at}`),
          values.formats[at] ?? 'text',
          value,
        ),
    );
    const { written, values: texts } = boundText(asked, bound, this.database);
    const hold = this.hold();
    try {
      const { organization } = hold;
      const question = { sql: written.text, values: texts, organization, signal };
      const { resultFormats: formats } = values;
      return await EngineRows.open(this.by.queries, question, { formats, wide: asked.wide }, hold.release); // prettier-ignore
    } catch (error) {
      hold.release();
      throw toPostgresError(error, written);
    }
  }

  /** A setting that is unknown here is PostgreSQL's own. @throws {PostgresError} */
  async show(name: string, signal: AbortSignal): Promise<string> {
    const text = `SHOW "${name.replaceAll('"', '""')}"`;
    const messages = catalogQuestion(text, [], NO_VALUES);
    const { rows, failure } = readAnswer(await this.ask(messages, signal));
    if (failure) throw catalogFailure(failure);
    // The value follows the message's type and length, the number of columns and the value's
    // length.
    return certain(rows[0], 'row of SHOW').subarray(11).toString('utf8');
  }

  private askCatalog(
    { statement, given }: PreparedStatement,
    values: Values | undefined,
    signal: AbortSignal,
  ) {
    // prettier-ignore
    return this.ask(catalogQuestion(inNewerNames(statement), given, values), signal);
  }

  private ask(messages: Buffer, signal: AbortSignal): Promise<Buffer> {
    const tables = this.held((organization) => catalogTables(this.by.catalog.tables(organization)));
    return this.by.postgres.ask({ tables, database: this.database, messages }, signal);
  }

  private hold(): TableHold {
    return this.by.door.hold(this.user, this.database);
  }

  private held<Result>(work: (organization: RequestOrganization) => Result): Result {
    const hold = this.hold();
    try {
      return work(hold.organization);
    } finally {
      hold.release();
    }
  }
}
