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

const drop = (name: string): string => `DROP COLUMN ${quoteIdentifier(name)}`;

export const drops = (names: readonly string[]): string => names.map(drop).join(', ');

/** In one step, so that nobody finds the table without a column whose place another one takes. */
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
