import { quoteIdentifier, type WarehouseQuery } from '@app/warehouse';
import { settingsClause, type Settings } from '../../sources/source.js';

/**
 * A file may be rewritten within one second, and the engine's cache of counts distinguishes times
 * only by seconds.
 */
const ALWAYS_LOOK: Settings = { use_cache_for_count_from_files: '0' };

/**
 * Counts the rows of Parquet files by their footers. Through a table's view, the engine would read
 * a whole column to count them.
 */
export function countSelect(call: string, settings: Settings): string {
  return `SELECT count() AS n FROM ${call}${settingsClause({ ...settings, ...ALWAYS_LOOK })}`;
}

/** Quoted. No table can have this name, and the guard allows only names of tables. */
export const countView = (table: string): string => quoteIdentifier(`count(${table})`);

/** Matches a count of all rows of one table, in the engine's canonical form. */
const COUNT =
  /^SELECT (?<call>count)\((?:\*|(?<argument>1?))\)(?: AS (?<alias>`[^`\\]+`|\w+))? FROM (?:`(?<quoted>[^`\\]+)`|(?<bare>\w+))$/i;

/** If the statement only asks how many rows a table has, it is answered by the view of counts. */
export function withCount(
  query: WarehouseQuery,
  tables: ReadonlyMap<string, { readonly count: string | undefined }>,
): WarehouseQuery {
  // The view counts all rows, so it does not serve a query with a time range.
  if (query.settings?.['additional_table_filters'] !== undefined) return query;
  const found = COUNT.exec(query.sql)?.groups;
  const table = found?.['quoted'] ?? found?.['bare'];
  if (!found || table === undefined || tables.get(table)?.count === undefined) return query;
  const { call = '', argument = '', alias = quoteIdentifier(`${call}(${argument})`) } = found;
  return { ...query, sql: `SELECT n AS ${alias} FROM ${countView(table)}` };
}
