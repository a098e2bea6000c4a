import { isAggregated } from '../subqueries/sums-of-nothing.js';
import { isList, isWord, type Nodes } from '../source-tree.js';
import type { Clause } from '../queries/select-clauses.js';

/** The engine keeps an aggregate here that it would leave out of a comparison. */
const ANY_COUNT = 'NOT ignore(count())';

/**
 * Writes GROUP BY, or HAVING, of a SELECT without aggregates that has an empty set among its
 * GROUPING SETS. The engine leaves out the row of that set where it computes no aggregate.
 * @param written the clause without its keyword
 */
export function withEmptySet(
  { word }: Clause,
  written: string,
  nodes: Nodes,
  clauses: readonly Clause[],
): string {
  if (word !== 'GROUP' && word !== 'HAVING') return written;
  const bodyOf = (of: Clause['word']): Nodes => {
    const clause = clauses.find((each) => each.word === of);
    return clause ? nodes.slice(clause.from, clause.to) : [];
  };
  const having = bodyOf('HAVING');
  if (!hasEmptySet(bodyOf('GROUP')) || isAggregated([...bodyOf('SELECT'), ...having]))
    return written;
  if (word === 'HAVING') return `(${written}) AND ${ANY_COUNT}`;
  return having.length > 0 ? written : `${written} HAVING ${ANY_COUNT}`;
}

const hasEmptySet = (keys: Nodes): boolean => {
  const sets = keys.find((node, at) => isList(node) && isWord(keys[at - 1], 'SETS'));
  return isList(sets) && sets.nodes.some((node) => isList(node) && node.nodes.length === 0);
};
