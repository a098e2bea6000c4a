import { quoteIdentifier, quoteText } from './identifier.js';
import type { Column } from '../warehouse.js';

/**
 * The type of a field with only nulls so far. The table computes it: nothing is written, and
 * nothing has to be converted when a value comes.
 */
export const UNTYPED = 'Nullable(Nothing)';
const NO_VALUES = 'Nullable(String) ALIAS NULL';

interface Renaming {
  readonly from: string;
  readonly to: string;
}

export const define = ({ name, type }: Column): string =>
  `${quoteIdentifier(name)} ${type === UNTYPED ? NO_VALUES : type}`;

/**
 * The engine refuses this if the column has values by now, because another process has changed it.
 * The intermediate ALIAS is needed because dropping any other column rewrites all parts, and
 * dropping `a` would also drop the content of a column `a.x`.
 */
function drop(name: string): string {
  const column = quoteIdentifier(name);
  return `MODIFY COLUMN ${column} REMOVE ALIAS, MODIFY COLUMN ${column} ${NO_VALUES}, DROP COLUMN ${column}`;
}

/** @param names of columns without a type */
export const drops = (names: readonly string[]): string => names.map(drop).join(', ');

/**
 * The engine refuses this, too, if the column has values by now. The column is not dropped and
 * added again: for each dropped column the engine compares all computed columns with all columns,
 * which takes seconds with 2,000 of them. An ALIAS has no data, so no part is rewritten.
 */
function typing({ name, type }: Column): string {
  const column = quoteIdentifier(name);
  return `MODIFY COLUMN ${column} ${type} ALIAS defaultValueOfTypeName(${quoteText(type)}), MODIFY COLUMN ${column} REMOVE ALIAS`;
}

/** @param present those of the columns that exist without a type, and get one in place */
export function additions(columns: readonly Column[], present: ReadonlySet<string>): string {
  const add = (column: Column): string =>
    present.has(column.name) ? typing(column) : `ADD COLUMN IF NOT EXISTS ${define(column)}`;
  return columns.map(add).join(', ');
}

export const renamings = (names: readonly Renaming[]): string =>
  names
    .map(({ from, to }) => `RENAME COLUMN ${quoteIdentifier(from)} TO ${quoteIdentifier(to)}`)
    .join(', ');
