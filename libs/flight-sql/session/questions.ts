import type { Readable } from 'node:stream';
import { isWrite, type Catalog, type QueryPipeline } from '@app/query';
import { MillraceError, type ErrorKind } from '@app/platform';
import { encapsulated, ipcMessages, type IpcMessage } from '../ipc/ipc-messages.js';
import { only, smallerBatches } from '../ipc/smaller-batches.js';
import {
  catalogs,
  schemas,
  tableRows,
  tablesAsked,
  tableTypes,
} from '../metadata/metadata-columns.js';
import { KEYS_OF_OTHERS, PRIMARY_KEYS } from '../metadata/keys.js';
import { writeSqlInfo } from '../metadata/sql-info.js';
import { sqlInfoValues } from '../metadata/sql-info-values.js';
import { writeRows } from '../metadata/write-rows.js';
import { readsOnly, type Question } from '../protocol/commands.js';
import type { CommandGetTables } from '../protocol/sql-messages.js';
import type { MessageOf } from '../protocol/wire.js';
import { bindPlaces } from '../statements/placeholders.js';
import { readHandle, type PreparedStatement } from '../statements/prepared-handle.js';
import type { Caller } from './calls.js';

/** The components that answer questions. */
export interface Answerers {
  readonly queries: QueryPipeline;
  readonly catalog: Catalog;
  /** The program's version. */
  readonly version: string;
}

/** The failures of a statement that names nothing but a table, where the table cannot be read. */
const OF_TABLE: ReadonlySet<ErrorKind> = new Set(['TABLE_UNREADABLE', 'INVALID_SQL']);

type TablesAsked = MessageOf<typeof CommandGetTables>;

/** Answers questions in Arrow's IPC format: those about rows by the query pipeline. */
export class Questions {
  constructor(private readonly by: Answerers) {}

  /** The schema of an answer, as a message by itself. @throws {MillraceError} */
  async schema(question: Question, caller: Caller): Promise<Buffer> {
    const statement = statementOf(question);
    if (statement) return this.schemaOf(statement, caller);
    const empty = question.name === 'CommandGetTables' ? { ...question, value: { ...question.value, tablePattern: '' } } : question; // prettier-ignore
    return firstOf(ipcMessages(only(await this.metadata(empty, caller))));
  }

  /** The schema of a statement's rows. It is run without reading any. @throws {MillraceError} */
  async schemaOf(statement: PreparedStatement, caller: Caller): Promise<Buffer> {
    return firstOf(ipcMessages(await this.read(statement, caller, { withoutRows: true })));
  }

  /** @throws {MillraceError} before the first message, or in the middle */
  async messages(question: Question, caller: Caller): Promise<AsyncIterable<IpcMessage>> {
    const statement = statementOf(question);
    const rows = statement ? await this.read(statement, caller) : only(await this.metadata(question, caller)); // prettier-ignore
    return smallerBatches(ipcMessages(rows));
  }

  private async read(
    { sql, values }: PreparedStatement,
    { organization, signal }: Caller,
    form: { readonly withoutRows?: true } = {},
  ): Promise<Readable> {
    const bound = bindPlaces(sql, values);
    const format = 'arrow-stream';
    try {
      return await this.by.queries.run({ ...bound, organization, signal, format, ...form });
    } catch (error) {
      throw isWrite(sql) && error instanceof MillraceError ? readsOnly(error) : error;
    }
  }

  private async metadata(question: Question, caller: Caller): Promise<Buffer> {
    switch (question.name) {
      case 'CommandGetSqlInfo':
        return writeSqlInfo(sqlInfoValues(this.by.version), question.value.info);
      case 'CommandGetCatalogs':
        return writeRows(catalogs());
      case 'CommandGetDbSchemas':
        return writeRows(schemas(question.value));
      case 'CommandGetTableTypes':
        return writeRows(tableTypes());
      case 'CommandGetTables':
        return writeRows(await this.tables(question.value, caller));
      case 'CommandGetPrimaryKeys':
        return writeRows(PRIMARY_KEYS);
      default:
        return writeRows(KEYS_OF_OTHERS);
    }
  }

  private async tables(asked: TablesAsked, caller: Caller) {
    const known = this.by.catalog.tables(caller.organization).map(({ name }) => name);
    const names = tablesAsked(known, asked);
    if (!asked.includeSchema) return tableRows(names, undefined);
    const tableSchemas: Buffer[] = [];
    for (const name of names) tableSchemas.push(await this.tableSchema(name, caller));
    return tableRows(names, tableSchemas);
  }

  /** A table that cannot be read must not hide the others: it is listed without columns. */
  private async tableSchema(name: string, caller: Caller): Promise<Buffer> {
    const sql = `SELECT * FROM "${name.replaceAll('"', '""')}"`;
    try {
      return await this.schemaOf({ sql, values: [] }, caller);
    } catch (error) {
      if (!(error instanceof MillraceError) || !OF_TABLE.has(error.kind)) throw error;
      return firstOf(ipcMessages(only(await writeRows([]))));
    }
  }
}

/** The statement of a question, if it has one. @throws {MillraceError} INVALID_PARAMETER */
function statementOf({ name, value }: Question): PreparedStatement | undefined {
  switch (name) {
    case 'CommandStatementQuery':
      refuseTransaction(value.transaction);
      return { sql: value.query, values: [] };
    case 'TicketStatementQuery':
    case 'CommandPreparedStatementQuery':
      return readHandle(value.handle);
    default:
      return undefined;
  }
}

/** @throws {MillraceError} INVALID_PARAMETER if a client names a transaction */
export function refuseTransaction(transaction: Buffer): void {
  if (transaction.length > 0)
    throw new MillraceError('INVALID_PARAMETER', 'there are no transactions here');
}

async function firstOf(messages: AsyncIterable<IpcMessage>): Promise<Buffer> {
  for await (const message of messages) return encapsulated(message);
  throw new RangeError('an answer has no schema');
}
