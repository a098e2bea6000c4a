import type { Nodes } from '../source-tree.js';

/**
 * For each node of a list, the last of some words before it, in capitals; undefined if there is
 * none. All are found in one pass, because a look back from each node could be as long as the list.
 */
export function lastWordBefore(words: RegExp): (nodes: Nodes, at: number) => string | undefined {
  const known = new WeakMap<Nodes, readonly (string | undefined)[]>();
  return (nodes, at) => {
    const found = known.get(nodes) ?? placesIn(nodes, words);
    known.set(nodes, found);
    return found[at];
  };
}

function placesIn(nodes: Nodes, words: RegExp): readonly (string | undefined)[] {
  let last: string | undefined;
  return nodes.map((node) => {
    const before = last;
    if (node.kind === 'word' && words.test(node.text)) last = node.text.toUpperCase();
    return before;
  });
}
