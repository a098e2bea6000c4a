import { tokenize } from '../../search/statement-tokens.js';
import { OUTERMOST } from '../queries/object-shapes.js';
import { endOf, startOf, treeOf } from '../source-tree.js';
import { isSelect, OuterRowWriter, type Tables } from './outer-row-writer.js';

/**
 * Rewrites subqueries that look at the outer row, which the engine joins by the columns that they
 * name. It finds nothing for a null, although `t.n IS NULL OR …` may hold: so the subquery is asked
 * once more for nulls, with NULL in the column's place. It takes rows several times where several
 * outer rows have the same values: so it is given these values once each. And it forgets columns
 * that WHERE does not name: so they are named beside it.
 * @param canonical as the engine prints the statement
 * @returns the same text where there is no such subquery
 * @throws {MillraceError} INVALID_SQL
 */
export function withOuterRows(canonical: string, surroundings: Tables): string {
  const nodes = SUBQUERY.test(canonical) ? treeOf(tokenize(canonical)) : undefined;
  const from = nodes?.findIndex((node) => node.kind === 'group' || isSelect(node)) ?? -1;
  if (!nodes || from === -1) return canonical;
  const statement = nodes.slice(from);
  const written = new OuterRowWriter(canonical, statement, surroundings).write(
    statement,
    OUTERMOST,
  );
  return canonical.slice(0, startOf(statement)) + written + canonical.slice(endOf(statement));
}

const SUBQUERY = /\(\s*(?:SELECT|WITH)\b/;
