import { quoteIdentifier, type WarehouseQuery } from '@app/warehouse';
import { settingsClause, type Settings } from '../../sources/source.js';

/** A file may be written anew within the second that the engine's cache of counts tells times by. */
const ALWAYS_LOOK: Settings = { use_cache_for_count_from_files: '0' };

/**
 * Tells how many rows Parquet files have, by what stands at their ends. Asked through a table's view the
 * engine reads a whole column to count it.
 */
export function countSelect(call: string, settings: Settings): string {
  return `SELECT count() AS n FROM ${call}${settingsClause({ ...settings, ...ALWAYS_LOOK })}`;
}

/** Quoted. No table can be called so, and the guard lets no statement name what is no table. */
export const countView = (table: string): string => quoteIdentifier(`count(${table})`);

/** Matches a count of all rows of one table, in the engine's canonical form. */
const COUNT =
  /^SELECT (?<call>count)\((?:\*|(?<argument>1?))\)(?: AS (?<alias>`[^`\\]+`|\w+))? FROM (?:`(?<quoted>[^`\\]+)`|(?<bare>\w+))$/i;

/** The statement; where all it asks is how many rows a table has, by the view that tells. */
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
