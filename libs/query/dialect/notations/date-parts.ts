import type { Rewritten, Write } from './rewriting.js';
import { isList, isWord, type Nodes } from '../source-tree.js';

const DATE_PART = /^[a-z]+$/i;

/**
 * `EXTRACT('year' FROM x)` of Postgres and DuckDB: the engine wants the date part without quotes.
 */
export function extractedDatePart(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  if (!isWord(word, 'EXTRACT') || !isList(list)) return undefined;
  const [wanted, from] = list.nodes;
  if (wanted?.kind !== 'text' || !DATE_PART.test(wanted.value) || !isWord(from, 'FROM'))
    return undefined;
  return { text: `EXTRACT(${wanted.value} FROM ${write(list.nodes.slice(2))})`, end: at + 2 };
}
