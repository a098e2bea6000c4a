import { callAt, type Call } from '../operands.js';
import { isList, isQuery, isWord, itemsOf, type Node, type Nodes } from '../source-tree.js';
import { clausesOf, isSetOperator } from './select-clauses.js';

const COUNTS = /^(?:count|countIf|countDistinct|countDistinctIf|uniqExact|uniqExactIf)$/i;
const SUMS = /^(?:sum|min|max|avg)(?:If)?$/i;
/**
 * Functions that are the same in the engine, and null only where a value is. So null tells that there
 * were no rows; CASE, OR and nullif may be null beside rows, too.
 */
const PASSES = /^(?:coalesce|ifNull|nvl|concat|round|abs)$/i;
const WORDS = /^(?:NOT|NULL|true|false)$/i;
const SIGNS = /^(?:[-+*/%=<>]|[<>!]=|<>)$/;
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
  // Without an aggregate there is no row, and so no value: `(SELECT 1 FROM u WHERE u.k = t.k)`.
  return isAggregated(value) ? computedOfNothing(value) : undefined;
}

function isAggregated(nodes: Nodes): boolean {
  return nodes.some((node, at) => {
    if (node.kind === 'group') return !isQuery(node.nodes) && isAggregated(node.nodes);
    const call = callAt(nodes, at);
    return call !== undefined && (COUNTS.test(call.name) || SUMS.test(call.name));
  });
}

/** `count(*) + 1`, `count(*) = 0`: what is computed of aggregates and literals alone, where there are no rows. */
function computedOfNothing(nodes: Nodes): string | undefined {
  let text = '';
  for (let at = 0; at < nodes.length;) {
    const node = nodes[at] as Node;
    const call = callAt(nodes, at);
    const piece = call ? callOfNothing(call) : pieceOf(node);
    if (piece === undefined) return undefined;
    text += ` ${piece}`;
    at = call?.end ?? at + 1;
  }
  return text.trim();
}

function callOfNothing({ name, list, more, overAt, end }: Call): string | undefined {
  if (overAt !== end || more) return undefined;
  if (COUNTS.test(name)) return '0';
  if (SUMS.test(name)) return 'NULL';
  if (!PASSES.test(name)) return undefined;
  const values = itemsOf(list.nodes).map(computedOfNothing);
  return values.includes(undefined) ? undefined : `${name}(${values.join(', ')})`;
}

function pieceOf(node: Node): string | undefined {
  if (node.kind === 'number' || node.kind === 'text') return node.text;
  if (node.kind === 'symbol') return SIGNS.test(node.text) ? node.text : undefined;
  if (node.kind === 'word') return WORDS.test(node.text) ? node.text : undefined;
  const inner = isList(node) && !isQuery(node.nodes) ? computedOfNothing(node.nodes) : undefined;
  return inner === undefined ? undefined : `(${inner})`;
}
