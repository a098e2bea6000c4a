import { quoteIdentifier } from '@app/warehouse';
import { clausesOf } from '../dialect/queries/select-clauses.js';
import { endOf, isWord, itemsOf, startOf, treeOf, type Nodes } from '../dialect/source-tree.js';
import { isTime } from '../dialect/times/time-arithmetic.js';
import { tokenize } from './statement-tokens.js';

/**
 * The statement with times of records as microseconds, wherever its outermost list has them:
 * `max(_timestamp)`, and `_timestamp` by another name. The column itself is made so in the hits.
 */
export function withMicroseconds(canonical: string): string {
  const nodes = treeOf(tokenize(canonical)) ?? [];
  const list = clausesOf(nodes).find(({ word }) => word === 'SELECT');
  if (!list) return canonical;
  let written = '';
  let from = 0;
  for (const item of itemsOf(nodes.slice(list.from, list.to))) {
    const isNamed = isWord(item.at(-2), 'AS');
    const value = isNamed ? item.slice(0, -2) : item;
    if (!isTime(value) || (!isNamed && !isCall(value))) continue;
    const text = canonical.slice(startOf(value), endOf(value));
    const name = isNamed ? '' : ` AS ${quoteIdentifier(text)}`;
    written += `${canonical.slice(from, startOf(value))}toUnixTimestamp64Micro(${text})${name}`;
    from = endOf(value);
  }
  return written + canonical.slice(from);
}

const isCall = (nodes: Nodes): boolean => nodes[1]?.kind === 'group';
