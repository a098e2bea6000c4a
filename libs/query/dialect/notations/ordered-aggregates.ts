import { MillraceError } from '@app/platform';
import type { Rewritten, Write } from './rewriting.js';
import { isList, isWord, itemsOf, type Group, type Node, type Nodes } from '../source-tree.js';

const LISTS = /^(?:string_agg|listagg|group_concat|array_agg|list)$/i;
const QUANTILES =
  /^(?:percentile_cont|percentile_disc|approx_percentile_cont|quantile_cont|quantile_disc|mode)$/i;

/**
 * Aggregates over ordered values: `WITHIN GROUP (ORDER BY x)`, and ORDER BY within the brackets.
 */
export function orderedAggregate(
  nodes: Nodes,
  at: number,
  write: Write,
  add: (text: string) => string,
): Rewritten | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  if (word?.kind !== 'word' || !isList(list)) return undefined;
  if (QUANTILES.test(word.text)) return quantile(word.text, list, nodes, at, write);
  const filter = isWord(nodes[at + 2], 'FILTER') ? nodes[at + 3] : undefined;
  if (!LISTS.test(word.text)) return undefined;
  const within = withinGroup(nodes, at);
  if (within) {
    const text = ordered(word.text, { ...list, nodes: [...list.nodes, ...within.nodes] }, undefined, write, add); // prettier-ignore
    return text === undefined ? undefined : { text, end: at + 5 };
  }
  const text = ordered(word.text, list, filter, write, add);
  const end = filter === undefined ? at + 2 : at + 4;
  if (text !== undefined && isWord(nodes[end], 'OVER'))
    throw new MillraceError('INVALID_SQL', `${word.text}(… ORDER BY …) is not read with OVER: join a subquery that groups by the keys of the window`); // prettier-ignore
  return text === undefined ? undefined : { text, end };
}

/** True for LIMIT and SEPARATOR behind a sort key; elsewhere they are columns. */
const beginsTail = (nodes: Nodes, at: number): boolean =>
  (isWord(nodes[at], 'SEPARATOR') || isWord(nodes[at], 'LIMIT')) &&
  nodes[at - 1]?.kind !== 'symbol' &&
  nodes[at + 1]?.kind !== 'symbol' &&
  at + 1 < nodes.length;

/** The brackets of `LISTAGG(x, ',') WITHIN GROUP (ORDER BY y)`. */
function withinGroup(nodes: Nodes, at: number): Group | undefined {
  const order = nodes[at + 4];
  const isWithin = isWord(nodes[at + 2], 'WITHIN') && isWord(nodes[at + 3], 'GROUP');
  return isWithin && isList(order) && isWord(order.nodes[0], 'ORDER') ? order : undefined;
}

/** `percentile_cont(0.5) WITHIN GROUP (ORDER BY x)` */
function quantile(
  name: string,
  list: Group,
  nodes: Nodes,
  at: number,
  write: Write,
): Rewritten | undefined {
  const order = nodes[at + 4];
  if (!isWord(nodes[at + 2], 'WITHIN') || !isWord(nodes[at + 3], 'GROUP') || !isList(order))
    return undefined;
  const [sort, more] = itemsOf(order.nodes.slice(2));
  if (!isWord(order.nodes[0], 'ORDER') || !sort || more) return undefined;
  const { key, isDescending } = sortKey(sort, write);
  if (isDescending && /_disc$/i.test(name))
    throw new MillraceError('INVALID_SQL', `${name} is read of values in ascending order: ORDER BY x, with 1 - p as its level`); // prettier-ignore
  if (list.nodes.length === 0) return { text: `${name}(${key})`, end: at + 5 };
  const level = write(list.nodes);
  return { text: `${name}(${key}, ${isDescending ? `1 - ${level}` : level})`, end: at + 5 };
}

/** `string_agg(x, ',' ORDER BY y)`: a list of pairs is sorted by the second. */
function ordered(
  name: string,
  { nodes }: Group,
  filter: Node | undefined,
  write: Write,
  add: (text: string) => string,
): string | undefined {
  const order = nodes.findIndex((node, at) => isWord(node, 'ORDER') && isWord(nodes[at + 1], 'BY'));
  if (order < 1) return undefined;
  const end = nodes.findIndex((_, at) => at > order + 2 && beginsTail(nodes, at));
  const [sorts, tail] = end === -1 ? [nodes.slice(order + 2), []] : [nodes.slice(order + 2, end), nodes.slice(end)]; // prettier-ignore
  const keys = itemsOf(sorts).map((sort) => sortKey(sort, write));
  const [x = [], given] = itemsOf(nodes.slice(0, order));
  // `GROUP_CONCAT(x ORDER BY y SEPARATOR ',')` of MySQL.
  const by = isWord(tail[0], 'SEPARATOR') ? tail.slice(1) : given;
  const isDistinct = isWord(x[0], 'DISTINCT');
  const value = write(isDistinct ? x.slice(1) : x);
  if (isDistinct && keys.some(({ key }) => key !== value)) return undefined;
  const chosen = isList(filter) ? ` AND (${write(filter.nodes.slice(1))})` : '';
  const tuple = [value, ...keys.map(({ key }) => key)].join(', ');
  const sorted = sortedBy(`groupArrayIf((${tuple}), (${value}) IS NOT NULL${chosen})`, keys);
  const mapped = `arrayMap(p -> p.1, ${sorted})`;
  const all = isDistinct ? `arrayDistinct(${mapped})` : mapped;
  const values = isWord(tail[0], 'LIMIT') ? `arraySlice(${all}, 1, ${write(tail.slice(1))})` : all;
  if (/^(?:array_agg|list)$/i.test(name)) return add(values);
  const count = `countIf((${value}) IS NOT NULL${chosen})`;
  return add(`if(${count} = 0, NULL, arrayStringConcat(${values}, ${by ? write(by) : "','"}))`);
}

interface SortKey {
  readonly key: string;
  readonly isDescending: boolean;
  /** The place of nulls, if the statement says so. */
  readonly nulls: 'FIRST' | 'LAST' | undefined;
}

/**
 * A list of tuples, sorted by the elements after the first. Keys with the same direction are sorted
 * at once, and the last keys first.
 */
function sortedBy(list: string, keys: readonly SortKey[]): string {
  const [only, more] = keys;
  const places = keys.map((key, at) => ({ ...key, place: `p.${at + 2}` }));
  const sort = ({ isDescending }: SortKey): string => `array${isDescending ? 'Reverse' : ''}Sort`;
  if (only && !more && only.nulls === undefined) return `${sort(only)}(p -> p.2, ${list})`;
  let sorted = list;
  for (let end = places.length; end > 0;) {
    const last = places[end - 1] as (typeof places)[number];
    const begin = places.slice(0, end).findLastIndex((each) => each.isDescending !== last.isDescending) + 1; // prettier-ignore
    const by = places.slice(begin, end).map(withNulls).join(', ');
    const position = last.isDescending ? '-i' : 'i';
    // Equal values keep the order of the later keys.
    sorted =
      end === places.length
        ? `${sort(last)}(p -> (${by}), ${sorted})`
        : `(arrayMap(l -> ${sort(last)}((p, i) -> (${by}, ${position}), l, arrayMap(n -> toInt64(n), arrayEnumerate(l))), [${sorted}])[1])`;
    end = begin;
  }
  return sorted;
}

const withNulls = ({ place, isDescending, nulls }: SortKey & { readonly place: string }): string =>
  `${(nulls === 'FIRST') === isDescending ? 'isNull' : 'isNotNull'}(${place}), ${place}`;

function sortKey(sort: Nodes, write: Write): SortKey {
  const isNulls = isWord(sort.at(-2), 'NULLS');
  const nulls = isNulls ? (isWord(sort.at(-1), 'FIRST') ? 'FIRST' : 'LAST') : undefined;
  const rest = isNulls ? sort.slice(0, -2) : sort;
  const isDescending = isWord(rest.at(-1), 'DESC');
  const isSaid = isDescending || isWord(rest.at(-1), 'ASC');
  return { key: write(isSaid ? rest.slice(0, -1) : rest), isDescending, nulls };
}
