import { lastWordBefore } from '../notations/last-word.js';
import type { Rewritten, Write } from '../notations/rewriting.js';
import { isList, isSymbol, isWord, itemsOf, type Node, type Nodes } from '../source-tree.js';
import type { WrittenLength } from '../written-length.js';
import { numberSeries } from './number-series.js';
import { timeSeries } from './time-series.js';

const clauseBefore = lastWordBefore(
  /^(?:SELECT|FROM|PREWHERE|WHERE|GROUP|HAVING|WINDOW|QUALIFY|ORDER|LIMIT)$/i,
);
const NO_ALIAS = /^(?:ON|WHERE|PREWHERE|GROUP|HAVING|WINDOW|QUALIFY|ORDER|LIMIT|UNION|EXCEPT|INTERSECT|CROSS|LEFT|INNER|FULL|RIGHT|JOIN|ARRAY|SETTINGS|OFFSET|FETCH)$/i; // prettier-ignore

/**
 * `FROM t CROSS JOIN UNNEST(tags) AS u(tag)`, with a comma or LATERAL too, is the engine's
 * `FROM t ARRAY JOIN tags AS tag`; `FROM UNNEST(…) AS u(x)` and `FROM range(…)` are tables of their own.
 */
export function unnestedList(
  nodes: Nodes,
  at: number,
  write: Write,
  length: WrittenLength,
): Rewritten | undefined {
  const series =
    seriesOfTimes(nodes, at, write, length) ??
    numbers(nodes, at, write, length) ??
    namedSeries(nodes, at, write);
  if (series) return series;
  const word = behindJoin(nodes, at);
  if (word === undefined) return undefined;
  const list = nodes[word + 1];
  const isRange = word === at && isWord(nodes[at], 'RANGE');
  if ((!isWord(nodes[word], 'UNNEST') && !isRange) || !isList(list)) return undefined;
  if (clauseBefore(nodes, at) !== 'FROM') return undefined;
  const { name = isRange ? 'range' : 'unnest', end } = alias(nodes, word + 2);
  const isOuter = isWord(nodes[at], 'LEFT');
  const isOn = isWord(nodes[end], 'ON') && /^true$/i.test(nodes[end + 1]?.text ?? '');
  if (isOuter && !isOn) return undefined;
  // This is decided before anything is written, because text that is given up is written again.
  const value = isRange ? `range(${write(list.nodes)})` : write(list.nodes);
  if (word === at)
    return { text: `(SELECT arrayJoin(${value}) AS ${name})${nameOf(nodes, word + 2)}`, end };
  return {
    text: ` ${isOuter ? 'LEFT ' : ''}ARRAY JOIN ${value} AS ${name}`,
    end: isOn ? end + 2 : end,
  };
}

/** `FROM generate_series(from, to, INTERVAL '1 day') AS g(day)`; elsewhere it is a list. */
function seriesOfTimes(
  nodes: Nodes,
  at: number,
  write: Write,
  length: WrittenLength,
): Rewritten | undefined {
  const values = timeSeries(nodes, at, write, length);
  if (values === undefined || !/^(?:FROM|JOIN|,)$/i.test(nodes[at - 1]?.text ?? ''))
    return values === undefined ? undefined : { text: values, end: at + 2 };
  if (isSymbol(nodes[at - 1], ',') && clauseBefore(nodes, at) !== 'FROM')
    return { text: values, end: at + 2 };
  const { name = nodes[at]?.text.toLowerCase() ?? '', end } = alias(nodes, at + 2);
  return { text: `(SELECT arrayJoin(${values}) AS ${name})${nameOf(nodes, at + 2)}`, end };
}

/**
 * `generate_series(1, 3)` is a list, including its end. In the place of a table, numbers from 0 on are
 * the engine's table, which needs no memory; it takes neither `generate_series(-2, 2)` nor
 * `generate_series(3)`.
 */
function numbers(
  nodes: Nodes,
  at: number,
  write: Write,
  length: WrittenLength,
): Rewritten | undefined {
  const list = nodes[at + 1];
  if (!isWord(nodes[at], 'GENERATE_SERIES') || !isList(list)) return undefined;
  const items = itemsOf(list.nodes);
  const isTable = isTablePlace(nodes, at);
  if (items.length < (isTable ? 1 : 2) || items.length > 3) return undefined;
  const isPlain = items.every(([only, more]) => only?.kind === 'number' && !more);
  if (isTable && isPlain && items.length > 1) return undefined;
  const ends = items.length === 1 ? ['0', ...items.map(write)] : items.map(write);
  const series = length.add(numberSeries(ends));
  if (!isTable) return { text: series, end: at + 2 };
  const { name = 'generate_series', end } = alias(nodes, at + 2);
  return { text: `(SELECT arrayJoin(${series}) AS ${name})${nameOf(nodes, at + 2)}`, end };
}

function isTablePlace(nodes: Nodes, at: number): boolean {
  const before = nodes[at - 1]?.text ?? '';
  return /^(?:FROM|JOIN)$/i.test(before) || (before === ',' && clauseBefore(nodes, at) === 'FROM');
}

/** `FROM generate_series(1, 3) AS g(i)`: the engine accepts no names of columns there. */
function namedSeries(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  if (!isWord(word, 'GENERATE_SERIES') || !isList(list)) return undefined;
  if (!/^(?:FROM|JOIN|,)$/i.test(nodes[at - 1]?.text ?? '')) return undefined;
  const { name, end } = alias(nodes, at + 2);
  if (name === undefined || !isList(nodes[end - 1])) return undefined;
  const series = `generate_series(${write(list.nodes)})`;
  const text = `(SELECT generate_series AS ${name} FROM ${series})${nameOf(nodes, at + 2)}`;
  return { text, end };
}

/** The place of a following UNNEST. */
function behindJoin(nodes: Nodes, at: number): number | undefined {
  const [first, second, third] = nodes.slice(at, at + 3);
  const lateral = (from: number): number => (isWord(nodes[from], 'LATERAL') ? from + 1 : from);
  if (isSymbol(first, ',')) return lateral(at + 1);
  if (/^(?:UNNEST|RANGE)$/i.test(first?.text ?? '') && isWord(nodes[at - 1], 'FROM')) return at;
  if (isWord(first, 'JOIN') && !/^(?:CROSS|LEFT|INNER|OUTER|RIGHT|FULL)$/i.test(nodes[at - 1]?.text ?? '')) return lateral(at + 1); // prettier-ignore
  if ((isWord(first, 'CROSS') || isWord(first, 'INNER') || isWord(first, 'LEFT')) && isWord(second, 'JOIN')) return lateral(at + 2); // prettier-ignore
  return isWord(first, 'LEFT') && isWord(second, 'OUTER') && isWord(third, 'JOIN') ? lateral(at + 3) : undefined; // prettier-ignore
}

/** The name is `x` in `AS u(x)`, and `u` in `AS u`. */
function alias(nodes: Nodes, at: number): { readonly name?: string; readonly end: number } {
  const from = isWord(nodes[at], 'AS') ? at + 1 : at;
  const [name, list] = [nodes[from], nodes[from + 1]];
  if (!isName(name)) return { end: at };
  const [only, more] = isList(list) ? list.nodes : [];
  if (only && !more && isName(only)) return { name: only.text, end: from + 2 };
  return { name: name.text, end: from + 1 };
}

const nameOf = (nodes: Nodes, at: number): string => {
  const name = nodes[isWord(nodes[at], 'AS') ? at + 1 : at];
  return isName(name) ? ` AS ${name.text}` : '';
};

const isName = (node: Node | undefined): node is Node =>
  node?.kind === 'name' || (node?.kind === 'word' && !NO_ALIAS.test(node.text));

/**
 * The names by which a statement refers to `u.x` of `JOIN UNNEST(…) AS u(x)`, because there is no
 * table `u` then.
 */
export function unnestedNames(
  nodes: Nodes,
  names = new Map<string, string>(),
): ReadonlyMap<string, string> {
  for (const [at, node] of nodes.entries()) {
    if (node.kind === 'group') unnestedNames(node.nodes, names);
    const from = isWord(nodes[at + 2], 'AS') ? at + 3 : at + 2;
    const [name, list] = [nodes[from], nodes[from + 1]];
    if (!isWord(node, 'UNNEST') || isWord(nodes[at - 1], 'FROM') || !isName(name) || !isList(list))
      continue;
    const [only] = list.nodes;
    if (only && only.kind !== 'group' && name.kind !== 'group') names.set(name.value, only.value);
  }
  return names;
}
