import { clausesOf, isSetOperator } from '../queries/select-clauses.js';
import { isQuery, isWord, itemsOf, nameOf, type Nodes } from '../source-tree.js';

/** The value of a subquery with one column; undefined for anything else, and for several SELECTs. */
export function selectedValue(nodes: Nodes): Nodes | undefined {
  if (!isQuery(nodes) || nodes.some((_, at) => isSetOperator(nodes, at))) return undefined;
  const list = clausesOf(nodes).find(({ word }) => word === 'SELECT');
  const items = list ? itemsOf(nodes.slice(list.from, list.to)) : [];
  const [item] = items;
  if (item === undefined || items.length > 1) return undefined;
  const value = isWord(item[0], 'DISTINCT') ? item.slice(1) : item;
  return isWord(value.at(-2), 'AS') && nameOf(value.at(-1)) !== undefined
    ? value.slice(0, -2)
    : value;
}
