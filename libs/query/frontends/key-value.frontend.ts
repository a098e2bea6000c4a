import { quoteIdentifier } from '@app/warehouse';
import type { TableDescription } from '../catalog.js';
import type { BoundStatement } from '../plan/bindings.js';

/** The latest value of a key; rows without a value do not count. */
export function lastValue(
  { name, arrivalColumns = [] }: TableDescription,
  key: string,
): BoundStatement {
  const order = ['_timestamp', ...arrivalColumns].map(
    (column) => `${quoteIdentifier(column)} DESC`,
  );
  return {
    sql:
      `SELECT toString(kv.value) FROM ${quoteIdentifier(name)} AS kv` +
      ' WHERE toString(kv.key) = {key:String} AND isNotNull(kv.value)' +
      ` ORDER BY ${order.join(', ')} LIMIT 1`,
    values: { key },
  };
}
