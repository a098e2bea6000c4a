import type { Rewritten, Write } from '../notations/rewriting.js';
import { isSymbol, isWord, type Nodes } from '../source-tree.js';

/**
 * `OFFSET 5 LIMIT 2`, `FETCH FIRST 5 ROWS ONLY` with an OFFSET or without, and `LIMIT ALL`: the engine wants an ORDER BY
 * for the first, always its number and its `ROWS`, and takes ALL for a column.
 */
export function rowLimit(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const [word, next, before] = [nodes[at], nodes[at + 1], nodes[at - 1]];
  if (word?.kind !== 'word' || isSymbol(before, '.') || isWord(before, 'AS')) return undefined;
  if (isWord(word, 'LIMIT') && (isWord(next, 'ALL') || isWord(next, 'NULL')))
    return { text: '', end: at + 2 };
  if (isWord(word, 'FETCH')) return fetched(nodes, at, write);
  if (!isWord(word, 'OFFSET') || next === undefined) return undefined;
  const behind = isRows(nodes, at + 2) ? at + 3 : at + 2;
  const number = nodes[behind + 1];
  if (isWord(nodes[behind], 'LIMIT') && number)
    return { text: `LIMIT ${write([number])} OFFSET ${write([next])}`, end: behind + 2 };
  const limit = isWord(nodes[behind], 'FETCH') ? fetched(nodes, behind, write) : undefined;
  return limit && { text: limit.text.replace(/(?= WITH TIES$)|$/, ` OFFSET ${write([next])}`), end: limit.end }; // prettier-ignore
}

const isRows = (nodes: Nodes, at: number): boolean =>
  isWord(nodes[at], 'ROW') || isWord(nodes[at], 'ROWS');

function fetched(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  if (!isWord(nodes[at + 1], 'FIRST') && !isWord(nodes[at + 1], 'NEXT')) return undefined;
  const number = isRows(nodes, at + 2) ? undefined : nodes[at + 2];
  const behind = number ? at + 3 : at + 2;
  if (!isRows(nodes, behind)) return undefined;
  const text = `LIMIT ${number ? write([number]) : '1'}`;
  if (isWord(nodes[behind + 1], 'ONLY')) return { text, end: behind + 2 };
  const isTies = isWord(nodes[behind + 1], 'WITH') && isWord(nodes[behind + 2], 'TIES');
  return isTies ? { text: `${text} WITH TIES`, end: behind + 3 } : undefined;
}
