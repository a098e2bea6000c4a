import { MillraceError } from '@app/platform';
import type { TableDescription } from '../catalog.js';
import { tokenize } from '../search/statement-tokens.js';
import { qualifiersIn } from './names/hidden-tables.js';
import { elementNames } from './queries/element-names.js';
import { Queries } from './queries/queries.js';
import { isWord, treeOf } from './source-tree.js';
import { ValueTypes, type TypeOfColumn } from './casts/value-types.js';
import { aliasesOf } from './names/aliases.js';
import { combinedColumns } from './names/combined-columns.js';

/** The facts about the engine and the tables that the translation of a statement needs. */
export interface Surroundings {
  readonly typeOfColumn: TypeOfColumn;
  /**
   * The engine's spelling of a function that is written in another case; undefined for any other
   * function.
   */
  readonly spelling: (name: string) => string | undefined;
  readonly table: (name: string) => TableDescription | undefined;
  /**
   * The SQL that replaces a function about the session, without arguments; undefined for any other.
   */
  readonly session: (name: string) => string | undefined;
}

/**
 * Translates a statement of standard SQL for the engine: names of functions, names of columns and
 * of the output, numbers that would overflow, intervals. It comes before the guard, which judges
 * the result like any other text.
 * @param canonical as the engine prints the statement.
 * @throws {MillraceError} INVALID_SQL
 */
export const inEngineWords = (canonical: string, surroundings: Surroundings): string =>
  withinDepth(() => translated(canonical, surroundings));

/** @throws {MillraceError} INVALID_SQL for brackets that are nested deeper than the stack reaches */
export function withinDepth<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    // The depth that works depends on Node.js, since brackets are written by recursion.
    if (error instanceof RangeError)
      throw new MillraceError('INVALID_SQL', 'brackets and functions are nested too deeply');
    throw error;
  }
}

function translated(canonical: string, surroundings: Surroundings): string {
  const nodes = treeOf(tokenize(canonical));
  const from = nodes?.findIndex((node) => node.kind === 'group' || BEGINS.test(node.text)) ?? -1;
  if (!nodes || from === -1 || (from > 0 && !isWord(nodes[0], 'EXPLAIN'))) return canonical;
  const statement = nodes.slice(from);
  const types = new ValueTypes(
    surroundings.typeOfColumn,
    aliasesOf(statement),
    combinedColumns(statement),
  );
  const { spelling, table, session } = surroundings;
  const elements = elementNames(statement);
  const qualifiers = qualifiersIn(statement);
  const written =
    canonical.slice(0, statement[0]?.start) +
    new Queries({ source: canonical, types, spelling, table, session, elements, qualifiers }).write(
      statement,
    ) +
    canonical.slice(statement.at(-1)?.end);
  return written;
}

const BEGINS = /^(?:SELECT|WITH)$/;
