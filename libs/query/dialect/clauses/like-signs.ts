import type { Rewritten } from '../notations/rewriting.js';
import type { Nodes } from '../source-tree.js';

const WORDS: Readonly<Record<string, string>> = {
  '~~': 'LIKE',
  '~~*': 'ILIKE',
  '!~~': 'NOT LIKE',
  '!~~*': 'NOT ILIKE',
};

/** `~~` and its like are LIKE, as PostgreSQL prints it. */
export function likeSign(nodes: Nodes, at: number): Rewritten | undefined {
  let sign = '';
  let end = at;
  for (let node = nodes[end]; node?.kind === 'symbol'; node = nodes[end]) {
    if (!/^[!~*]+$/.test(node.text) || (end > at && nodes[end - 1]?.end !== node.start)) break;
    sign += node.text;
    end += 1;
  }
  const text = WORDS[sign];
  return text === undefined ? undefined : { text, end };
}
