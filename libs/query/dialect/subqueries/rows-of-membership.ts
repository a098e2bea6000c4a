import { quoteText } from '@app/warehouse';
import { columnsOf, type Membership, type Sought } from '../queries/membership.js';
import { isList, isQuery, isWord, type Node, type Nodes } from '../source-tree.js';

const BETWEEN_CONDITIONS = /^(?:AND|OR|ON|WHERE|PREWHERE|HAVING)$/i;

/** Brackets of subqueries behind IN for which null and false are the same. */
const FILTERS = new WeakSet<Node>();

/**
 * Finds `x IN (SELECT …)` that selects rows or leaves them out. The engine's own IN is right there,
 * and finds rows by the keys of a table.
 * @param nodes the condition of a clause
 */
export function findFilters(nodes: Nodes): void {
  let from = 0;
  for (let at = 0; at <= nodes.length; at += 1) {
    const node = nodes[at];
    if (node && !(node.kind === 'word' && BETWEEN_CONDITIONS.test(node.text))) continue;
    const operand = nodes.slice(from, at);
    const [only, more] = operand;
    const last = operand.at(-1);
    if (isList(only) && !more && !isQuery(only.nodes)) findFilters(only.nodes);
    else if (last && isWord(operand.at(-2), 'IN') && !operand.some((each) => isWord(each, 'NOT')))
      FILTERS.add(last);
    from = at + 1;
  }
}

const PROBLEM =
  'several columns before IN with nulls among them, or among the rows of its subquery: compare by NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.b = t.b), which passes over nulls';

/**
 * `x IN (SELECT …)` in the standard: false of no rows, and null for a null, or where a null is among
 * the rows and the value is not. The engine passes over nulls among the rows.
 * @param write an expression in the engine's SQL
 * @param rows the subquery in the engine's SQL, in its brackets
 */
export function membershipOfRows(
  { isNegated, list }: Membership,
  { nodes, value, add }: Sought,
  write: (nodes: Nodes) => string,
  rows: string,
): string {
  if (FILTERS.has(list)) return `${value} IN ${rows}`;
  const columns = columnsOf(nodes).map(write);
  const found = `ifNull(${value} IN ${rows}, 0)`;
  // No rows, rows without nulls, rows with nulls.
  const kind = `(SELECT multiIf(count() = 0, 1, countIf(greatest(0, * APPLY(isNull))) = 0, 2, 3) FROM ${rows})`;
  const isNull = columns.map((column) => `isNull(${column})`).join(' OR ');
  const isUnknown =
    columns.length === 1
      ? `arrayElement([0, if(${isNull}, NULL, 0), NULL], ${kind})`
      : `throwIf(arrayElement([0, ${isNull}, 1], ${kind}), ${quoteText(PROBLEM)})`;
  return add(`${isNegated ? 'NOT ' : ''}(${found} OR ${isUnknown})`);
}
