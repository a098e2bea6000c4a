import { isSymbol, isWord, type Node, type Nodes } from '../source-tree.js';

/** Clauses that may follow ARRAY JOIN. */
const FOLLOWS = /^(?:PREWHERE|WHERE|GROUP|HAVING|WINDOW|QUALIFY|ORDER|LIMIT|SETTINGS|UNION|JOIN)$/i;

/**
 * Names of list elements anywhere in a statement: the parameters of lambdas, and the names in ARRAY
 * JOIN. Such a name does not mean the column of that name.
 */
export function elementNames(nodes: Nodes): ReadonlySet<string> {
  const names = new Set<string>();
  collect(nodes, names);
  return names;
}

function collect(nodes: Nodes, names: Set<string>): void {
  for (const [at, node] of nodes.entries()) {
    if (isSymbol(nodes[at + 1], '->')) addNames([node], names);
    if (isWord(node, 'JOIN') && isWord(nodes[at - 1], 'ARRAY')) collectJoined(nodes, at, names);
    if (node.kind === 'group') collect(node.nodes, names);
  }
}

function collectJoined(nodes: Nodes, join: number, names: Set<string>): void {
  for (let at = join + 1; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (node?.kind === 'word' && FOLLOWS.test(node.text)) return;
    if (isWord(node, 'AS')) addNames(nodes.slice(at + 1, at + 2), names);
  }
}

function addNames(nodes: readonly Node[], names: Set<string>): void {
  for (const node of nodes)
    if (node.kind === 'group') addNames(node.nodes, names);
    else if (node.kind === 'word' || node.kind === 'name') names.add(node.value);
}
