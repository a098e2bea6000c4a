import { EXACT_FLOAT, kindThatWidens } from '@app/streams';
import type { Column } from '@app/warehouse';

/** SQL: whether a value of the column is an integer, or has one, that floats do not have. */
export function isBeyondFloat({ type }: Column, value: string): string {
  return type.startsWith('Array(')
    ? `arrayExists(e -> ifNull(abs(e) > ${EXACT_FLOAT}, 0), ${value})`
    : `ifNull(abs(${value}) > ${EXACT_FLOAT}, 0)`;
}

/** Columns of integers that are not known to have such. */
export const notYetExact = (columns: readonly Column[], exact: readonly string[]): Column[] =>
  columns.filter(({ name, type }) => kindThatWidens(type) !== undefined && !exact.includes(name));

/**
 * SQL: whether a row has an integer that floats do not have where it would be news. Before such a
 * row is stored an event says that the column keeps its type; so two nodes never decide, one to
 * widen a column and one to put such an integer there.
 * @returns undefined when no column can tell anything new
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
