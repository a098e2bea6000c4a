import { quoteIdentifier } from '@app/warehouse';
import { isWord, itemAt, itemsOf, startOf, type Nodes } from '../source-tree.js';
import { bridged } from './common-columns.js';
import { clausesOf, isSetOperator } from './select-clauses.js';
import type { SelectItem } from './select-items.js';

/** The types to which the columns of a SELECT are cast beside those of others. */
export type Bridges = readonly (string | undefined)[];

export const isSingle = (nodes: Nodes): boolean => !nodes.some((_, at) => isSetOperator(nodes, at));

/** The select list of one SELECT; none if several are combined. */
export function listOf(nodes: Nodes): readonly Nodes[] {
  if (!isSingle(nodes)) return [];
  const list = clausesOf(nodes).find(({ word }) => word === 'SELECT');
  const body = list ? nodes.slice(list.from, list.to) : [];
  return itemsOf(body.slice(quantifierLength(body)));
}

export const valueOf = (item: Nodes): Nodes =>
  item.length > 2 && isWord(item.at(-2), 'AS') ? item.slice(0, -2) : item;

export function besideOthers(
  items: readonly SelectItem[],
  bridges: Bridges,
  nodes: Nodes,
): readonly SelectItem[] {
  if (bridges.every((bridge) => bridge === undefined)) return items;
  const written = listOf(nodes);
  return items.map((item, at) => {
    const bridge = bridges[at];
    if (bridge === undefined) return item;
    const own = itemAt(written, at);
    const last = own.at(-1);
    const name = item.name ?? (last?.kind === 'group' ? undefined : last?.value);
    const cast = bridged(item.expression, bridge, valueOf(own));
    return { ...item, text: name === undefined ? cast : `${cast} AS ${quoteIdentifier(name)}` };
  });
}

/** The length of `DISTINCT`, which may stand before the list. */
export const quantifierLength = (body: Nodes): number => (isWord(body[0], 'DISTINCT') ? 1 : 0);

export function quantifierOf(body: Nodes, source: string): string {
  const length = quantifierLength(body);
  return length === 0 ? '' : `${source.slice(startOf(body), body[length - 1]?.end)} `;
}
