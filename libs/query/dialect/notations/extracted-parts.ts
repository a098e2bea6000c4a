import type { Rewritten, Write } from './rewriting.js';
import { isList, isWord, type Nodes } from '../source-tree.js';

const PART = /^[a-z]+$/i;

/** `EXTRACT('year' FROM x)` of Postgres and DuckDB: the engine has the part without quotes. */
export function extractedPart(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  if (!isWord(word, 'EXTRACT') || !isList(list)) return undefined;
  const [part, from] = list.nodes;
  if (part?.kind !== 'text' || !PART.test(part.value) || !isWord(from, 'FROM')) return undefined;
  return { text: `EXTRACT(${part.value} FROM ${write(list.nodes.slice(2))})`, end: at + 2 };
}
