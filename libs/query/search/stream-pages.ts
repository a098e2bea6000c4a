import { quoteIdentifier, quoteText } from '@app/warehouse';
import type { TableDescription } from '../catalog.js';
import type { BoundStatement } from '../plan/bindings.js';

/** `_around` reads so many microseconds before and after the time. */
const AROUND = 900 * 1_000_000;

interface TopValues {
  readonly size: number;
  /** Only values that contain this text, in any case. */
  readonly keyword: string;
  /**
   * If true, values are sorted by themselves and have no counts; otherwise the most frequent come
   * first.
   */
  readonly isUncounted: boolean;
}

/** Counts the rows for each value of a column. The row of null has no key. */
export function topValues(column: string, { size, keyword, isUncounted }: TopValues): string {
  const name = quoteIdentifier(column);
  const found = `positionCaseInsensitiveUTF8(toString(${name}), ${quoteText(keyword)}) > 0`;
  const where = keyword === '' ? '' : ` WHERE ${found}`;
  const number = isUncounted ? '' : ', count() AS zo_sql_num';
  const order = isUncounted ? 'zo_sql_key' : 'zo_sql_num DESC, zo_sql_key';
  return `SELECT ${name} AS zo_sql_key${number} FROM query${where} GROUP BY ${name} ORDER BY ${order} LIMIT ${size}`;
}

/** The rows of a table that fulfil a condition, as its author wrote it. */
export function rowsWhere({ name }: TableDescription, condition: string): string {
  const rows = `SELECT * FROM ${quoteIdentifier(name)}`;
  return condition.trim() === '' ? rows : `${rows} WHERE (\n${condition}\n)`;
}

/** Rows on one side of a time, the nearest first. */
export function sideOf(
  { name, arrivalColumns = [] }: TableDescription,
  key: number,
  side: 'before' | 'after',
  size: number,
): BoundStatement {
  const before = side === 'before';
  const [from, to] = before ? [key - AROUND, key] : [key, key + AROUND];
  const direction = before ? 'DESC' : 'ASC';
  const keys = ['_timestamp', ...arrivalColumns].map(
    (column) => `${quoteIdentifier(column)} ${direction}`,
  );
  return {
    sql:
      `SELECT * FROM ${quoteIdentifier(name)}` +
      ' WHERE _timestamp >= fromUnixTimestamp64Micro({from:Int64})' +
      ' AND _timestamp < fromUnixTimestamp64Micro({to:Int64})' +
      ` ORDER BY ${keys.join(', ')} LIMIT ${size}`,
    values: { from: String(from), to: String(to) },
  };
}
