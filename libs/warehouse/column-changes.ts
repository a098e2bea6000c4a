import { quoteIdentifier } from './identifier.js';
import type { Column } from './warehouse.js';

/** The type of a field of which only nulls have come. The table computes them: nothing is written, and nothing converted when a value comes. */
export const UNTYPED = 'Nullable(Nothing)';
const NO_VALUES = 'Nullable(String) ALIAS NULL';

export interface Renaming {
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
 * In one step, so that nobody finds the table without a column whose place another one takes.
 * @param replaced those of them that are there without a type
 */
export function additions(columns: readonly Column[], replaced: readonly string[]): string {
  // With IF NOT EXISTS the engine passes over what the same step drops.
  const add = (column: Column): string =>
    `ADD COLUMN ${replaced.includes(column.name) ? '' : 'IF NOT EXISTS '}${define(column)}`;
  return [...replaced.map(drop), ...columns.map(add)].join(', ');
}

export const renamings = (names: readonly Renaming[], replaced: readonly string[]): string =>
  [
    ...replaced.map(drop),
    ...names.map(
      ({ from, to }) => `RENAME COLUMN ${quoteIdentifier(from)} TO ${quoteIdentifier(to)}`,
    ),
  ].join(', ');
