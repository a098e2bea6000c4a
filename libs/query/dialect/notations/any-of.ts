import { isKeyword, isWithinSum, sumEnd } from '../operands.js';
import { isList, isQuery, isSymbol, isWord, type Nodes } from '../source-tree.js';
import { operatorAt } from './bit-operators.js';
import { behindArrows } from './json-arrows.js';
import type { Rewritten, Write } from './rewriting.js';

/** Operators that bind more strongly than `=`. The text after one is not a whole side of `=`. */
const BINDS_MORE = /^(?:[&|<>]|\|\||!?~\*?)$/;

const COMPARES = /^(?:=|<>|!=|<=?|>=?)$/;
const CONSTANT = /^(?:text|number)$/;

/**
 * `x = ANY(list)` and `x > ALL(list)`, whose left side includes everything that binds more strongly
 * than `=`. The engine knows them of a query, and takes a null as if it were a value.
 * @param isLambda whether `x -> …` would be a lambda there
 * @param add limits the length of the result, in which the left side stands twice
 */
export function anyOf(
  nodes: Nodes,
  at: number,
  isLambda: boolean,
  write: Write,
  add: (text: string) => string,
): Rewritten | undefined {
  const [first, before] = [nodes[at], nodes[at - 1]];
  if (first?.kind === 'word' && isKeyword(first.text)) return undefined;
  if (isWithinSum(nodes, at) || (before?.kind === 'symbol' && BINDS_MORE.test(before.text)))
    return undefined;
  const middle = sideEnd(nodes, at, isLambda);
  const sign = middle === undefined ? undefined : nodes[middle];
  if (middle === undefined || sign?.kind !== 'symbol' || !COMPARES.test(sign.text))
    return undefined;
  const [any, list] = [nodes[middle + 1], nodes[middle + 2]];
  const isAny = isWord(any, 'ANY') || isWord(any, 'SOME');
  if ((!isAny && !isWord(any, 'ALL')) || !isList(list) || isQuery(list.nodes)) return undefined;
  const sought = nodes.slice(at, middle);
  const items = isAny && sign.text === '=' ? writtenItems(list.nodes) : undefined;
  // A list that is written out has its items beside the value, of its type.
  if (items) return { text: add(`((${write(sought)}) IN (${write(items)}))`), end: middle + 3 };
  const [values, value] = [write(list.nodes), write(sought)];
  const each = `_each_${middle}`;
  const found =
    isAny && sign.text === '='
      ? `has(${values}, ${value})`
      : `${isAny ? 'arrayExists' : 'arrayAll'}(${each} -> (${value}) ${sign.text} ${each}, ${values})`;
  const isConstant = sought.length === 1 && CONSTANT.test(sought[0]?.kind ?? '');
  const text = isConstant
    ? `CAST(${found}, 'Bool')`
    : `if(isNull(${value}), NULL, CAST(${found}, 'Bool'))`;
  return { text: add(text), end: middle + 3 };
}

/** The items of `ARRAY[1, 2]` or `[1, 2]`. */
function writtenItems(nodes: Nodes): Nodes | undefined {
  const [list, more] = isWord(nodes[0], 'ARRAY') ? nodes.slice(1) : nodes;
  const isWritten = list?.kind === 'group' && list.text === '[' && more === undefined;
  return isWritten && list.nodes.length > 0 && !isQuery(list.nodes) ? list.nodes : undefined;
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
