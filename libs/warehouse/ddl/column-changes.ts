import { quoteIdentifier, quoteText } from './identifier.js';
import type { Column } from '../warehouse.js';

/** The type of a field of which only nulls have come. The table computes them: nothing is written, and nothing converted when a value comes. */
export const UNTYPED = 'Nullable(Nothing)';
const NO_VALUES = 'Nullable(String) ALIAS NULL';

interface Renaming {
  readonly from: string;
  readonly to: string;
}

export const define = ({ name, type }: Column): string =>
  `${quoteIdentifier(name)} ${type === UNTYPED ? NO_VALUES : type}`;

/**
 * The engine refuses this where the column is one with values by now, which another process may
 * have made of it. The second step is there because to drop what was no ALIAS in between rewrites
 * all parts, and takes what is in a column `a.x` with the `a`.
 */
function drop(name: string): string {
  const column = quoteIdentifier(name);
  return `MODIFY COLUMN ${column} REMOVE ALIAS, MODIFY COLUMN ${column} ${NO_VALUES}, DROP COLUMN ${column}`;
}

/** @param names of columns without a type */
export const drops = (names: readonly string[]): string => names.map(drop).join(', ');

/**
 * The engine refuses this as well where the column has values by now. The column is not dropped and
 * added: for each that is dropped the engine compares all that are computed with all columns, which
 * takes seconds where there are 2,000. An ALIAS holds nothing, so no part is written again.
 */
function typing({ name, type }: Column): string {
  const column = quoteIdentifier(name);
  return `MODIFY COLUMN ${column} ${type} ALIAS defaultValueOfTypeName(${quoteText(type)}), MODIFY COLUMN ${column} REMOVE ALIAS`;
}

/** @param present those of them that are there without a type, and get theirs where they are */
export function additions(columns: readonly Column[], present: ReadonlySet<string>): string {
  const add = (column: Column): string =>
    present.has(column.name) ? typing(column) : `ADD COLUMN IF NOT EXISTS ${define(column)}`;
  return columns.map(add).join(', ');
}

export const renamings = (names: readonly Renaming[]): string =>
  names
    .map(({ from, to }) => `RENAME COLUMN ${quoteIdentifier(from)} TO ${quoteIdentifier(to)}`)
    .join(', ');
