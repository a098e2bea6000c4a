import { isValueBefore, powerLength, termEnd } from '../operands.js';
import type { Rewritten, Write } from './rewriting.js';
import { isSymbol, type Nodes } from '../source-tree.js';

/**
 * `a ** b` and `a ^ b`, which bind more strongly than `*`. Several are computed from the left, and
 * a sign before the first belongs to it, as in Postgres and DuckDB: `-2 ** 2` is 4.
 */
export function power(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  if (isSymbol(nodes[at], '-') && isValueBefore(nodes, at)) return undefined;
  let end = termEnd(nodes, at);
  let text = '';
  for (;;) {
    const length = end === undefined ? 0 : powerLength(nodes, end);
    const from = (end ?? 0) + length;
    const next = length === 0 ? undefined : termEnd(nodes, from);
    if (end === undefined || next === undefined) break;
    text ||= write(nodes.slice(at, end));
    text = `pow(${text}, ${write(nodes.slice(from, next))})`;
    end = next;
  }
  return text === '' || end === undefined ? undefined : { text, end };
}
