import { MillraceError } from '@app/platform';
import { isList, isWord, type Nodes } from '../source-tree.js';
import type { Rewritten, Write } from './rewriting.js';

/**
 * @throws {MillraceError} INVALID_SQL for `lag(x) IGNORE NULLS`, which the engine accepts and
 *   ignores.
 */
export function refusePassedNulls(nodes: Nodes, at: number): void {
  const name = nodes[at]?.text ?? '';
  if (!/^(?:lag|lead|nth_value)$/i.test(name)) return;
  if (!isWord(nodes[at + 2], 'IGNORE') || !isWord(nodes[at + 3], 'NULLS')) return;
  throw new MillraceError('INVALID_SQL', `${name} does not pass over nulls: last_value(x) IGNORE NULLS OVER (ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) is the last value before that is none`); // prettier-ignore
}

/** `last_value(x IGNORE NULLS) OVER (…)`, as DuckDB, BigQuery and Snowflake have it. */
export function passedNulls(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  if (!/^(?:first|last)_value$/i.test(word?.text ?? '') || !isList(list)) return undefined;
  const [passes, nulls] = list.nodes.slice(-2);
  if (!isWord(nulls, 'NULLS') || !/^(?:IGNORE|RESPECT)$/i.test(passes?.text ?? '')) return undefined; // prettier-ignore
  const value = write(list.nodes.slice(0, -2));
  return { text: `${word?.text ?? ''}(${value}) ${passes?.text ?? ''} NULLS`, end: at + 2 };
}
