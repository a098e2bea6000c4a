import { isList, isSymbol, isWord, nameOf, type Nodes } from '../source-tree.js';

/** Names before a point, anywhere in a statement: `t` of `t.k`. */
export function qualifiersIn(nodes: Nodes, found = new Set<string>()): ReadonlySet<string> {
  for (const [at, node] of nodes.entries()) {
    if (node.kind === 'group') qualifiersIn(node.nodes, found);
    const name = nameOf(node);
    if (name !== undefined && isSymbol(nodes[at + 1], '.') && !isSymbol(nodes[at - 1], '.'))
      found.add(name);
  }
  return found;
}

/**
 * Finds in FROM the tables whose name their alias hides, as in `FROM t WHERE EXISTS (SELECT 1 FROM t
 * AS u WHERE u.k = t.k)`: for the engine `t.k` is of `u`, too, and all rows would do. And it passes
 * over the names of columns in `t AS u(a, b)`. It does neither for a subquery.
 * @param qualifiers names before points in the whole statement
 * @returns the places of the tables' names
 */
export function hiddenTables(from: Nodes, qualifiers: ReadonlySet<string>): readonly number[] {
  return [...from.keys()].filter((at) => {
    const [table, before, as, name, next] = [from[at], from[at - 1], from[at + 1], from[at + 2], from[at + 3]]; // prettier-ignore
    const [hidden, alias] = [nameOf(table), nameOf(name)];
    const begins = at === 0 || isSymbol(before, ',') || isWord(before, 'JOIN');
    if (!begins || hidden === undefined || !isWord(as, 'AS') || alias === undefined) return false;
    if (isWord(next, 'FINAL') || isWord(next, 'SAMPLE')) return false;
    return isList(next) || (alias !== hidden && qualifiers.has(hidden));
  });
}
