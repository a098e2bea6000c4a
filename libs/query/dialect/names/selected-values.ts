import { isMany } from '../queries/select-items.js';
import { behindOperator, clausesOf, isSetOperator } from '../queries/select-clauses.js';
import { isList, isQuery, isWord, itemsOf, nameOf, type Nodes } from '../source-tree.js';

/** A column of a query: the name that its first SELECT gives, if any, and the value of each SELECT. */
interface SelectedColumn {
  readonly name: string | undefined;
  readonly values: readonly Nodes[];
}

/** The value of a subquery with one column; undefined for anything else, and for several SELECTs. */
export function selectedValue(nodes: Nodes): Nodes | undefined {
  const [column, ...more] = isQuery(nodes) ? columnsOfQuery(nodes) : [];
  return more.length === 0 && column?.values.length === 1 ? column.values[0] : undefined;
}

/** The columns of a query; none where a SELECT of it has `*`, or another number of columns. */
export function columnsOfQuery(nodes: Nodes): readonly SelectedColumn[] {
  const selects: (readonly Nodes[])[] = [];
  let begun = 0;
  for (let at = 0; at <= nodes.length; at += 1) {
    if (at < nodes.length && !isSetOperator(nodes, at)) continue;
    selects.push(itemsOfSelect(nodes.slice(begun, at)));
    begun = behindOperator(nodes, at);
  }
  const [first = []] = selects;
  if (selects.some((select) => select.length !== first.length)) return [];
  return first.map((item, place) => ({
    name: nameOf(item.at(-1)),
    values: selects.flatMap((select) => select.slice(place, place + 1).map(valueOf)),
  }));
}

/** The items of one SELECT; none where there is `*`. */
function itemsOfSelect(nodes: Nodes): readonly Nodes[] {
  const [only, more] = nodes;
  if (isList(only) && more === undefined) return itemsOfSelect(only.nodes);
  if (nodes.some((_, at) => isSetOperator(nodes, at))) return [];
  const list = clausesOf(nodes).find(({ word }) => word === 'SELECT');
  const items = list ? itemsOf(nodes.slice(list.from, list.to)) : [];
  if (items.some(isMany)) return [];
  return items.map((item) => (isWord(item[0], 'DISTINCT') ? item.slice(1) : item));
}

/** An item without its name. */
function valueOf(item: Nodes): Nodes {
  const isNamed = isWord(item.at(-2), 'AS') && nameOf(item.at(-1)) !== undefined;
  return isNamed ? item.slice(0, -2) : item;
}
