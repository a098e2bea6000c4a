import { quoteIdentifier } from '@app/warehouse';
import type { TableDescription } from '../catalog.js';
import type { BoundStatement } from '../plan/bindings.js';
import type { TimeRange } from './search-plan.js';

/** `_around` looks so many microseconds to each side. */
const AROUND = 900 * 1_000_000;

/** The values of a column that most rows have, with their numbers; the row of null has no key. */
export function topValues(
  table: TableDescription,
  column: string,
  size: number,
  { start, end }: TimeRange,
): BoundStatement {
  const name = quoteIdentifier(column);
  const where = [
    ...(start === undefined ? [] : ['_timestamp >= fromUnixTimestamp64Micro({start_time:Int64})']),
    ...(end === undefined ? [] : ['_timestamp < fromUnixTimestamp64Micro({end_time:Int64})']),
  ];
  return {
    sql:
      `SELECT ${name} AS zo_sql_key, count() AS zo_sql_num FROM ${quoteIdentifier(table.name)}` +
      (where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '') +
      ` GROUP BY ${name} ORDER BY zo_sql_num DESC, zo_sql_key LIMIT ${size}`,
    values: {
      ...(start === undefined ? {} : { start_time: String(start) }),
      ...(end === undefined ? {} : { end_time: String(end) }),
    },
  };
}

/** Rows on one side of a time, those next to it first. */
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
