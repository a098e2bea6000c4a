import { callAt } from '../operands.js';
import { isQuery, isSymbol, isWord, type Node, type Nodes } from '../source-tree.js';

const COMPARISON = /^(?:=|==|!=|<>|<|>|<=|>=)$/;
const ARITHMETIC = /^(?:[-+*/%.,]|\|\||::)$/;
/** These functions are null where an argument is. */
const STRICT =
  /^(?:lower|upper|length|abs|floor|ceil|round|trim|substring|left|right|toString|toDate|toDateTime64|toYear|toMonth|year|month|date_trunc|to(?:U?Int|Float)(?:8|16|32|64)|toInterval\w+)$/i;

/**
 * Finds the conditions of a WHERE that cannot hold where one of their names is null: comparisons of
 * sums, products and such functions, with AND between them.
 */
export const nullRejecting = (where: Nodes): readonly Nodes[] =>
  conditionsOf(where).filter(isComparison);

/** The conditions of a WHERE between AND, without brackets around them. */
export function conditionsOf(where: Nodes): readonly Nodes[] {
  const conditions: Node[][] = [[]];
  for (const node of where) {
    if (isWord(node, 'AND')) conditions.push([]);
    else conditions.at(-1)?.push(node);
  }
  return conditions.flatMap((condition) => {
    const [only, more] = condition;
    const isInner = only?.kind === 'group' && !more && !isQuery(only.nodes);
    if (isInner) return conditionsOf(only.nodes);
    return condition.length === 0 ? [] : [condition];
  });
}

function isComparison(nodes: Nodes): boolean {
  const signs = nodes.filter((node) => node.kind === 'symbol' && COMPARISON.test(node.text));
  return signs.length === 1 && nodes.every((node, at) => node === signs[0] || isStrict(nodes, at));
}

function isStrict(nodes: Nodes, at: number): boolean {
  const node = nodes[at] as Node;
  if (node.kind === 'symbol') return ARITHMETIC.test(node.text);
  if (node.kind === 'group') {
    const { text, nodes: inner } = node;
    // A subquery is null where it finds no rows, and has none of these names.
    return text === '(' && (isQuery(inner) || inner.every((_, place) => isStrict(inner, place)));
  }
  if (node.kind !== 'word') return true;
  const call = callAt(nodes, at);
  if (call) return STRICT.test(call.name) && !call.more && call.overAt === call.end;
  return isSymbol(nodes[at - 1], '.') || !KEYWORDS.test(node.text);
}

const KEYWORDS =
  /^(?:OR|NOT|IS|IN|LIKE|ILIKE|REGEXP|CASE|WHEN|THEN|ELSE|END|BETWEEN|NULL|ALL|ANY)$/;
