import { isMany } from '../queries/select-items.js';
import { clausesOf, isSetOperator } from '../queries/select-clauses.js';
import { isQuery, isWord, itemsOf, nameOf, type Nodes } from '../source-tree.js';

/** The value of a subquery with one column; undefined for anything else, and for several SELECTs. */
export function selectedValue(nodes: Nodes): Nodes | undefined {
  const [value, ...more] = isQuery(nodes) ? selectedValues(nodes) : [];
  return more.length > 0 ? undefined : value;
}

/** The values of a SELECT, without their names; none where there are several SELECTs, or `*`. */
export function selectedValues(nodes: Nodes): readonly Nodes[] {
  if (nodes.some((_, at) => isSetOperator(nodes, at))) return [];
  const list = clausesOf(nodes).find(({ word }) => word === 'SELECT');
  const items = list ? itemsOf(nodes.slice(list.from, list.to)) : [];
  if (items.some(isMany)) return [];
  return items.map((item) => {
    const value = isWord(item[0], 'DISTINCT') ? item.slice(1) : item;
    const isNamed = isWord(value.at(-2), 'AS') && nameOf(value.at(-1)) !== undefined;
    return isNamed ? value.slice(0, -2) : value;
  });
}
