import type { Rewritten, Write } from './rewriting.js';
import { isList, isWord, type Nodes } from '../source-tree.js';

/** `TRIM('x' FROM t)`: the engine requires BOTH, which is optional in the standard. */
export function trimmedText(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  if (!isWord(word, 'TRIM') || !isList(list)) return undefined;
  const from = list.nodes.findIndex((node) => isWord(node, 'FROM'));
  if (from < 1 || /^(?:BOTH|LEADING|TRAILING)$/i.test(list.nodes[0]?.text ?? '')) return undefined;
  const [removed, text] = [list.nodes.slice(0, from), list.nodes.slice(from + 1)];
  return { text: `TRIM(BOTH ${write(removed)} FROM ${write(text)})`, end: at + 2 };
}
