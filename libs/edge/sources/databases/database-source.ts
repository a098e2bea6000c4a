import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { quoteText, type Column, type SourceEngine, withoutNull } from '@app/warehouse';
import { SourceError } from '../source-error.js';
import type { DescribedTable } from '../../table-description.js';
import { databaseServer, type DatabaseServer } from './database-server.js';
import { mysqlCatalog, mysqlTable, type MysqlColumn } from './mysql-table.js';
import { postgresCatalog, postgresTable, type PostgresColumn } from './postgres-table.js';
import { asDeclared, madeSelect, sentSelect, type RemoteTable } from './remote-column.js';
import {
  bareSqlite,
  sqliteCatalog,
  sqliteKinds,
  sqliteTable,
  type SqliteColumn,
} from './sqlite-table.js';
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
  if (options.format === 'sqlite')
    return sqliteSource(described, options.table ?? name, { base, statements });
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

async function sqliteSource(
  { uri, columns: declared }: DescribedTable,
  table: string,
  { base, statements }: { readonly base: string; readonly statements: Statements },
): Promise<Source> {
  const path = uri.replace(/^(?:sqlite|file|filesystem):(?:\/\/)?/, '');
  const file = isAbsolute(path) ? path : resolve(base, path);
  // SQLite would create an empty database.
  if (!existsSync(file)) throw new SourceError(`there is no file ${file}`);
  const answer = (statement: string): string =>
    tableFunction('sqlite', [quoteText(file), `query(${quoteText(statement)})`]);
  const ask = async <Row>(sql: string, format = 'JSONEachRow'): Promise<readonly Row[]> =>
    answeredRows<Row>(await statements.run(`${sql} FORMAT ${format}`));
  const columns = await ask<SqliteColumn>(`SELECT * FROM ${answer(sqliteCatalog(table))}`);
  if (columns.length === 0)
    throw new SourceError(
      `there is no table ${JSON.stringify(table)} in ${file}; say table=<its name there>`,
    );
  const told = await ask<Column>(`DESCRIBE TABLE ${answer(bareSqlite(table, columns))}`);
  const types = told.map(({ type }) => withoutNull(type));
  const kinds = answer(sqliteKinds(table, columns, types));
  const [found = []] = declared ? [] : await ask<readonly unknown[]>(`SELECT * FROM ${kinds}`, 'JSONCompactEachRow'); // prettier-ignore
  const own = sqliteTable(table, columns, { types, kinds: found });
  const served = declared ? { ...own, columns: asDeclared(own, declared) } : own;
  return plainSource(`(${madeSelect(served.columns, answer(sentSelect(served)))})`, file);
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
