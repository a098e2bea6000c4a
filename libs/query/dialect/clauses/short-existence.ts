import { isSetOperator } from '../queries/select-clauses.js';
import { isList, isWord, type Nodes } from '../source-tree.js';
import type { Rewritten, Write } from '../notations/rewriting.js';

/**
 * `EXISTS (SELECT DISTINCT … LIMIT 1)`, without what changes nothing there. The engine takes neither
 * in a subquery that looks at the outer row.
 */
export function shortExistence(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const list = nodes[at + 1];
  if (!isWord(nodes[at], 'EXISTS') || !isList(list) || !isWord(list.nodes[0], 'SELECT'))
    return undefined;
  const query = list.nodes;
  if (query.some((_, place) => isSetOperator(query, place))) return undefined;
  const isDistinct = isWord(query[1], 'DISTINCT') && !isWord(query[2], 'ON');
  const [limit, count] = query.slice(-2);
  const isLimited = isWord(limit, 'LIMIT') && count?.kind === 'number' && Number(count.text) > 0;
  if (!isDistinct && !isLimited) return undefined;
  const rest = query.slice(isDistinct ? 2 : 1, isLimited ? -2 : undefined);
  return { text: `EXISTS (SELECT ${write(rest)})`, end: at + 2 };
}
