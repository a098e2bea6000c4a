import { isKeyword, isWithinSum, sumEnd } from '../operands.js';
import { isList, isQuery, isSymbol, isWord, type Nodes } from '../source-tree.js';
import { operatorAt } from './bit-operators.js';
import { behindArrows } from './json-arrows.js';
import type { Rewritten, Write } from './rewriting.js';

/** Operators that bind more strongly than `=`. The text after one is not a whole side of `=`. */
const BINDS_MORE = /^(?:[&|<>]|\|\||!?~\*?)$/;

/**
 * `x = ANY(list)`, whose left side includes everything that binds more strongly than `=`. The
 * engine knows `ANY` of a query.
 * @param isLambda whether `x -> …` would be a lambda there
 */
export function anyOf(
  nodes: Nodes,
  at: number,
  isLambda: boolean,
  write: Write,
): Rewritten | undefined {
  const [first, before] = [nodes[at], nodes[at - 1]];
  if (first?.kind === 'word' && isKeyword(first.text)) return undefined;
  if (isWithinSum(nodes, at) || (before?.kind === 'symbol' && BINDS_MORE.test(before.text)))
    return undefined;
  const middle = sideEnd(nodes, at, isLambda);
  if (middle === undefined || !isSymbol(nodes[middle], '=')) return undefined;
  const [any, list] = [nodes[middle + 1], nodes[middle + 2]];
  const isAny = isWord(any, 'ANY') || isWord(any, 'SOME');
  if (!isAny || !isList(list) || isQuery(list.nodes)) return undefined;
  const text = `CAST(has(${write(list.nodes)}, ${write(nodes.slice(at, middle))}), 'Bool')`;
  return { text, end: middle + 3 };
}

/** Index behind sums with `||`, `&`, `|`, `<<`, `>>` and arrows between them. */
function sideEnd(nodes: Nodes, at: number, isLambda: boolean): number | undefined {
  let end: number | undefined;
  for (let next = sumEnd(nodes, at); next !== undefined;) {
    end = isLambda ? next : behindArrows(nodes, next);
    const length = isSymbol(nodes[end], '||') ? 1 : operatorAt(nodes, end).length;
    next = length === 0 ? undefined : sumEnd(nodes, end + length);
  }
  return end;
}
