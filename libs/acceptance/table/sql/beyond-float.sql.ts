import { EXACT_FLOAT, kindThatWidens } from '@app/streams';
import type { Column } from '@app/warehouse';

/** SQL: whether a value of the column is an integer, or has one, that floats do not have. */
export function isBeyondFloat({ type }: Column, value: string): string {
  return type.startsWith('Array(')
    ? `arrayExists(e -> ifNull(abs(e) > ${EXACT_FLOAT}, 0), ${value})`
    : `ifNull(abs(${value}) > ${EXACT_FLOAT}, 0)`;
}

/** Columns of integers that are not known to hold integers beyond floats. */
export const notYetExact = (columns: readonly Column[], exact: readonly string[]): Column[] =>
  columns.filter(({ name, type }) => kindThatWidens(type) !== undefined && !exact.includes(name));

/**
 * SQL: whether a row has the first integer of its column that floats do not hold. Before such a row
 * is stored, an event says that the column keeps its type. So two nodes never decide differently,
 * one to widen a column and one to put such an integer there.
 * @returns undefined when no column can get such an integer
 */
export function anyBeyondFloat(
  columns: readonly Column[],
  exact: readonly string[],
  valueOf: (name: string) => string,
): string | undefined {
  const tests = notYetExact(columns, exact).map((column) =>
    isBeyondFloat(column, valueOf(column.name)),
  );
  return tests.length === 0 ? undefined : tests.join(' OR ');
}
