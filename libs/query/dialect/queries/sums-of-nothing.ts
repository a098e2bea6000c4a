import { callAt, type Call } from '../operands.js';
import { isList, isQuery, isWord, itemsOf, type Node, type Nodes } from '../source-tree.js';
import { clausesOf, isSetOperator } from './select-clauses.js';

const COUNTS = /^(?:count|countIf|countDistinct|countDistinctIf|uniqExact|uniqExactIf)$/i;
const SUMS = /^(?:sum|min|max|avg)(?:If)?$/i;
const REPLACES_NULL = /^(?:coalesce|ifNull|nvl)$/i;
const PLAIN = new Set(['SELECT', 'FROM', 'PREWHERE', 'WHERE']);

/** The values of subqueries that find no rows. Each is asked for once it is written. */
const OF_NOTHING = new WeakMap<Node, string>();

/**
 * Finds subqueries such as `(SELECT count(*) FROM u WHERE u.k = t.k)`. The engine joins such a
 * subquery by its keys, and returns null for a key without rows, for which its count is 0.
 * @param nodes an expression, or several
 */
export function findSumsOfNothing(nodes: Nodes): void {
  for (const [at, node] of nodes.entries()) {
    if (node.kind !== 'group' || isWord(nodes[at - 1], 'IN') || isWord(nodes[at - 1], 'EXISTS'))
      continue;
    if (!isQuery(node.nodes)) findSumsOfNothing(node.nodes);
    else {
      const value = isList(node) ? valueOfNothing(node.nodes) : undefined;
      if (value !== undefined) OF_NOTHING.set(node, value);
    }
  }
}

/** Adds to the text of a subquery the value for no rows, if it is known. */
export function orOfNothing(group: Node | undefined, written: string): string {
  const value = group && OF_NOTHING.get(group);
  return value === undefined ? written : `ifNull(${written}, ${value})`;
}

function valueOfNothing(nodes: Nodes): string | undefined {
  if (nodes.some((_, at) => isSetOperator(nodes, at))) return undefined;
  const clauses = clausesOf(nodes);
  const [list] = clauses;
  if (list?.word !== 'SELECT' || clauses.some(({ word }) => !PLAIN.has(word))) return undefined;
  const [item = [], another] = itemsOf(nodes.slice(list.from, list.to));
  if (another) return undefined;
  const value = isWord(item.at(-2), 'AS') ? item.slice(0, -2) : item;
  const call = callAt(value, 0);
  if (call?.end !== value.length) return computedOfNothing(value);
  if (call.overAt !== call.end) return undefined;
  if (COUNTS.test(call.name)) return '0';
  const [first = [], second, third] = itemsOf(call.list.nodes);
  const inner = callAt(first, 0);
  const isSum = inner?.end === first.length && SUMS.test(inner.name);
  if (!REPLACES_NULL.test(call.name) || !isSum || third) return undefined;
  const [literal, more] = second ?? [];
  const isLiteral = literal?.kind === 'number' || literal?.kind === 'text';
  return isLiteral && !more ? literal.text : undefined;
}

/** `count(*) + 1`: what is computed of aggregates and numbers alone, where there are no rows. */
function computedOfNothing(nodes: Nodes): string | undefined {
  let text = '';
  for (let at = 0; at < nodes.length;) {
    const node = nodes[at] as Node;
    const call = callAt(nodes, at);
    const piece = call ? aggregateOfNothing(call) : pieceOf(node);
    if (piece === undefined) return undefined;
    text += ` ${piece}`;
    at = call?.end ?? at + 1;
  }
  return text.trim();
}

function aggregateOfNothing({ name, list, overAt, end }: Call): string | undefined {
  if (overAt !== end) return undefined;
  if (COUNTS.test(name)) return '0';
  if (SUMS.test(name)) return 'NULL';
  if (!REPLACES_NULL.test(name)) return undefined;
  const values = itemsOf(list.nodes).map(computedOfNothing);
  return values.includes(undefined) ? undefined : `coalesce(${values.join(', ')})`;
}

function pieceOf(node: Node): string | undefined {
  if (node.kind === 'number') return node.text;
  if (node.kind === 'symbol') return /^[-+*/]$/.test(node.text) ? node.text : undefined;
  const inner = isList(node) && !isQuery(node.nodes) ? computedOfNothing(node.nodes) : undefined;
  return inner === undefined ? undefined : `(${inner})`;
}
