import { quoteText } from '@app/warehouse';
import { DECIMAL_DIGITS_MAX, isExact } from '../casts/known-type.js';
import { integerOf, isFloatBesideLong } from '../numbers/equal-numbers.js';
import { positiveZero } from '../numbers/one-zero.js';
import { columnsOf, type Membership, type Sought } from '../queries/membership.js';
import { clausesOf, isSetOperator } from '../queries/select-clauses.js';
import { isList, isQuery, isWord, itemsOf, type Group, type Node, type Nodes } from '../source-tree.js'; // prettier-ignore

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
 * @param written the subquery in the engine's SQL, in its brackets
 */
export function membershipOfRows(
  { isNegated, list }: Membership,
  sought: Sought,
  write: (nodes: Nodes) => string,
  written: string,
): string {
  const { nodes, add } = sought;
  const [value, rows] = comparable(sought, list, written);
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

/**
 * Beside rows of another type the engine casts the value, and cuts off what that type does not hold:
 * 7.99 would be among the rows 7 and 7.9.
 */
function comparable(
  { nodes, value, typeOf }: Sought,
  { nodes: query }: Group,
  rows: string,
): readonly [value: string, rows: string] {
  const type = typeOf(nodes);
  const other = typeOf(itemOf(query));
  const widest = [`toDecimal256(${value}, ${SCALE})`, `(SELECT toDecimal256(*, ${SCALE}) FROM ${rows})`] as const; // prettier-ignore
  if (isFloatBesideLong(type, other)) {
    const [one, each] = [integerOf({ type, written: value }), integerOf({ type: other, written: '*' })]; // prettier-ignore
    return [one, `(SELECT ${each} FROM ${rows})`];
  }
  const sought = type.kind === 'float' ? positiveZero(value) : value;
  if (other.kind === 'float') return [sought, `(SELECT ${positiveZero('*')} FROM ${rows})`];
  const bothExact = (type.isExact && (other.isExact || isExact(other))) || (other.isExact && isExact(type)); // prettier-ignore
  if (bothExact) return widest;
  if (other.kind === type.kind && other.scale === type.scale) return [value, rows];
  if (type.kind === 'float') return [sought, `(SELECT toFloat64(*) FROM ${rows})`];
  // Columns of one name and several types are unknown, also as decimals.
  if (type.kind === 'unknown' && other.kind === 'decimal') {
    const cut = `accurateCastOrNull(${value}, 'Decimal(${DECIMAL_DIGITS_MAX}, ${other.scale})')`;
    return [`if(${value} = ${cut}, ${value}, NULL)`, rows];
  }
  if (type.kind !== 'decimal' || type.scale === 0) return [value, rows];
  return widest;
}

/** Half of the digits that a decimal may have. */
const SCALE = 38;

/** The item of a subquery of one SELECT and one column. */
function itemOf(query: Nodes): Nodes {
  const list = clausesOf(query).find(({ word }) => word === 'SELECT');
  const body = list ? query.slice(list.from, list.to) : [];
  const [item = [], more] = itemsOf(isWord(body[0], 'DISTINCT') ? body.slice(1) : body);
  if (more || query.some((_, at) => isSetOperator(query, at))) return [];
  return isWord(item.at(-2), 'AS') ? item.slice(0, -2) : item;
}
