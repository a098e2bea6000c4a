import type { Rewritten, Write } from '../notations/rewriting.js';
import { isList, isSymbol, isWord, itemsOf, type Nodes } from '../source-tree.js';

/** Words and calls that the engine reads as something else where others write them. */
export function otherSpelling(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const [word, next, before] = [nodes[at], nodes[at + 1], nodes[at - 1]];
  if (word?.kind !== 'word' || isSymbol(before, '.')) return undefined;
  // `WITH t AS NOT MATERIALIZED (…)`, as every one is here.
  if (isWord(word, 'NOT') && isWord(next, 'MATERIALIZED') && isWord(before, 'AS'))
    return { text: '', end: at + 2 };
  if (!isList(next) || isWord(before, 'AS')) return undefined;
  // The clause has the same name.
  if (isWord(word, 'FORMAT') && word.text !== 'format') return { text: 'format', end: at + 1 };
  const isTable = /^(?:FROM|JOIN|,)$/i.test(before?.text ?? '');
  if (isTable && isWord(word, 'GENERATE_SERIES')) return { text: 'generate_series', end: at + 1 };
  const [, sign] = /^DATE_(ADD|SUB)$/i.exec(word.text) ?? [];
  const [time, interval, more] = itemsOf(next.nodes);
  if (sign === undefined || !time || !isWord(interval?.[0], 'INTERVAL') || more) return undefined;
  // The engine would take the name of a column `d` for a unit.
  const operator = /ADD/i.test(sign) ? '+' : '-';
  return { text: `(${write(time)} ${operator} ${write(interval ?? [])})`, end: at + 2 };
}
