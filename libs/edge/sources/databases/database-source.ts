import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { quoteText, type SourceEngine } from '@app/warehouse';
import { SourceError } from '../source-error.js';
import type { DescribedTable } from '../../table-description.js';
import { databaseServer, type DatabaseServer } from './database-server.js';
import { mysqlCatalog, mysqlTable, type MysqlColumn } from './mysql-table.js';
import { postgresCatalog, postgresTable, type PostgresColumn } from './postgres-table.js';
import { asDeclared, madeSelect, sentSelect, type RemoteTable } from './remote-column.js';
import { plainSource, tableFunction, type Source } from '../source.js';
import { answeredRows } from '../answered-rows.js';

type Statements = SourceEngine['statements'];

/**
 * A table of a database, which is read there for each query.
 * @returns undefined for another format
 * @throws {Error} when the URI is not that of a database, or the database refuses, or it has no
 *   such table
 */
export async function databaseSource(
  described: DescribedTable,
  base: string,
  statements: Statements,
): Promise<Source | undefined> {
  const { name, uri, options } = described;
  if (options.format === 'sqlite') return sqliteSource(uri, options.table ?? name, base);
  if (options.format !== 'mysql' && options.format !== 'postgres') return undefined;
  const server = databaseServer(uri, options.format);
  const tableName = options.table ?? server.table ?? name;
  const found = await catalogued(server, tableName, statements);
  if (!found)
    throw new SourceError(
      `there is no table ${JSON.stringify(tableName)} in database ${JSON.stringify(server.database)}, or ${JSON.stringify(server.user)} may not read it; say table=<its name there>`,
    );
  const { columns: declared } = described;
  const table = declared ? { ...found, columns: asDeclared(found, declared) } : found;
  const select = (more: string): string =>
    `(${madeSelect(table.columns, answerOf(server, sentSelect(table) + more))})`;
  return { ...plainSource(select(''), server.shown), oneRow: select(' LIMIT 1') };
}

function sqliteSource(uri: string, table: string, base: string): Source {
  const path = uri.replace(/^(?:sqlite|file|filesystem):(?:\/\/)?/, '');
  const file = isAbsolute(path) ? path : resolve(base, path);
  // SQLite would create an empty database.
  if (!existsSync(file)) throw new SourceError(`there is no file ${file}`);
  return plainSource(tableFunction('sqlite', [quoteText(file), quoteText(table)]), file);
}

const FUNCTIONS = { mysql: 'mysql', postgres: 'postgresql' } as const;

/** The table function with the rows of a statement that the database runs. */
function answerOf(server: DatabaseServer, statement: string): string {
  const { format, host, database, user, password } = server;
  return tableFunction(FUNCTIONS[format], [
    ...[host, database].map(quoteText),
    `query(${quoteText(statement)})`,
    ...[user, password].map(quoteText),
  ]);
}

async function catalogued(
  server: DatabaseServer,
  table: string,
  statements: Statements,
): Promise<RemoteTable | undefined> {
  const ask = async <Row>(catalog: string): Promise<readonly Row[]> => {
    const sql = `SELECT * FROM ${answerOf(server, catalog)} FORMAT JSONEachRow`;
    return answeredRows<Row>(await statements.run(sql));
  };
  return server.format === 'mysql'
    ? mysqlTable(await ask<MysqlColumn>(mysqlCatalog(server.database, table)))
    : postgresTable(await ask<PostgresColumn>(postgresCatalog(table)));
}
