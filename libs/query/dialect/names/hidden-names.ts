import { isList, isSymbol, isWord, nameOf, type Nodes } from '../source-tree.js';

/** Names that are not columns of a table: parameters, as in `(n, m) -> …`, and names in `AS v(n)` and `WITH v(n) AS (…)`. */
export function hiddenBy(list: Nodes, at: number): readonly string[] {
  const [before, node, next] = [list[at - 1], list[at], list[at + 1]];
  const isParameter = isSymbol(next, '->');
  if (isParameter && !isList(node)) return [nameOf(node) ?? []].flat();
  if (!isList(node)) return [];
  const isNamed = nameOf(before) !== undefined && !isWord(before, 'AS');
  const isTable = isWord(list[at - 2], 'AS') || (isWord(next, 'AS') && isList(list[at + 2]));
  if (!isParameter && (!isNamed || !isTable)) return [];
  return node.nodes.flatMap((name) => nameOf(name) ?? []);
}
