import type { Known } from '../casts/known-type.js';
import type { ValueTypes } from '../casts/value-types.js';
import type { Clause } from '../queries/select-clauses.js';
import { alikeKeys, asAnother } from '../grouping/alike-keys.js';
import { withOneZero } from './one-zero.js';
import { isMany } from '../queries/select-items.js';
import { hasName, isList, isQuery, isSymbol, isWord, itemsOf, startOf, endOf, nameOf, type Node, type Nodes } from '../source-tree.js'; // prettier-ignore

/** Clauses that see the rows of a group. */
const OF_GROUPS = /^(?:SELECT|GROUP|HAVING|QUALIFY|ORDER|LIMIT)$/;
const SETS = /^(?:ROLLUP|CUBE|SETS)$/i;
const CHANCE = /\b(?:rand|generate|uuid|gen_random)/i;

export interface ZeroKeys {
  /** The keys as they stand in the statement. */
  readonly texts: ReadonlySet<string>;
  /** The columns among them that stand without a table's name; with one, they are the same. */
  readonly columns: ReadonlySet<string>;
  readonly tables: ReadonlySet<string>;
  /** See `alike-keys.ts`. */
  readonly alike: ReadonlyMap<string, number>;
  /** The length of the longest one. */
  readonly longest: number;
}

/** Nothing to write in another way. */
export const NO_KEYS: ZeroKeys = { texts: new Set(), columns: new Set(), tables: new Set(), alike: new Map(), longest: 0 }; // prettier-ignore

interface Select {
  readonly source: string;
  readonly types: ValueTypes;
  /** See `element-names.ts`. */
  readonly elements: ReadonlySet<string>;
  /** The names of the tables in FROM. */
  readonly tables: ReadonlySet<string>;
  /** True for a member of a UNION, INTERSECT or EXCEPT that passes over equal rows. */
  readonly isMember: boolean;
}

export const seesGroups = (word: string): boolean => OF_GROUPS.test(word);

/**
 * Finds the floats by which a SELECT groups, or tells rows apart. The engine takes 0.0 and -0.0 for
 * two keys, although they are equal.
 * @param nodes of one SELECT
 */
export function zeroKeys(
  nodes: Nodes,
  clauses: readonly Clause[],
  { source, types, elements, tables, isMember }: Select,
): ZeroKeys {
  const group = clauses.find(({ word }) => word === 'GROUP');
  const list = clauses.find(({ word }) => word === 'SELECT');
  const body = list ? nodes.slice(list.from, list.to) : [];
  const isDistinct = isWord(body[0], 'DISTINCT');
  if (!group && !isDistinct && !isMember) return NO_KEYS;
  const items = itemsOf(isDistinct ? body.slice(1) : body);
  const grouped = group ? nodes.slice(group.from, group.to) : [];
  const given = keysOf(grouped);
  const named = namedItems(items);
  const isAsWritten =
    nodes.some((node) => isWord(node, 'INTERPOLATE')) ||
    items.some(isMany) ||
    // The engine looks for the outer row's column among the keys, by its name.
    clauses.some(({ word, from, to }) => seesGroups(word) && hasQuery(nodes.slice(from, to)));
  const alike = grouped.some(({ text }) => SETS.test(text))
    ? alikeKeys(given.map((each) => meaningOf(each, items, named, types)), { source, tables, isAsWritten }) // prettier-ignore
    : NO_KEYS.alike;
  if (isAsWritten) return NO_KEYS;
  const isAll = given.some(([only, more]) => isWord(only, 'ALL') && !more);
  const all = isDistinct || isMember || isAll ? [...given, ...items] : given;
  const [texts, columns] = [new Set<string>(), new Set<string>()];
  let longest = Math.max(0, ...[...alike.keys()].map(({ length }) => length));
  for (const key of all.map((each) => meaningOf(each, items, named, types))) {
    const text = source.slice(startOf(key), endOf(key));
    const isFloat = hasName(key) && types.of(key).kind === 'float';
    if (!isFloat || CHANCE.test(text) || elements.has(text)) continue;
    texts.add(text);
    longest = Math.max(longest, text.length);
    if (key.length === 1) columns.add(text);
    const column = columnOf(key, tables);
    if (column) texts.add(textOf(column, source));
  }
  return { texts, columns, tables, alike, longest };
}

/** Writes the operand from one place to another as the key that it is; unchanged if it is none. */
export function writtenAsKey(
  { texts, columns, tables, alike, longest }: ZeroKeys,
  nodes: Nodes,
  [at, end]: readonly [number, number],
  { source, own, add }: Operand,
): string {
  if (longest === 0 || isSymbol(nodes[at - 1], '.') || isWord(nodes[at - 1], 'AS')) return own;
  const [from, to] = [nodes[at]?.start ?? 0, nodes[end - 1]?.end ?? 0];
  const text = to - from <= longest ? source.slice(from, to) : undefined;
  const column = end - at === PATH_LENGTH ? columnOf(nodes.slice(at, end), tables) : undefined;
  const isZero =
    (text !== undefined && texts.has(text)) ||
    (column !== undefined && columns.has(textOf(column, source)));
  const times = (text !== undefined && alike.get(text)) || 0;
  if (!isZero && times === 0) return own;
  return add(asAnother(isZero ? withOneZero(own) : own, times));
}

interface Operand {
  readonly source: string;
  /** The operand in the engine's SQL. */
  readonly own: string;
  /** Counts a text that is added. */
  readonly add: (text: string) => string;
}

const COUNTS_VALUES = /(?:Distinct|^uniq\w*|^approx_(?:count_)?distinct)(?:If)?$/i;

/** The arguments of an aggregate over different values, of which 0.0 and -0.0 are one. */
export function differentValues(
  name: string,
  args: readonly string[],
  typeAt: (at: number) => Known,
): readonly string[] {
  if (!COUNTS_VALUES.test(name)) return args;
  return args.map((arg, at) => (typeAt(at).kind === 'float' ? withOneZero(arg) : arg));
}

/** The keys of GROUP BY, those within sets too. */
function keysOf(nodes: Nodes): readonly Nodes[] {
  const sets = nodes.findIndex((node, at) => isList(node) && SETS.test(nodes[at - 1]?.text ?? ''));
  const end = nodes.findIndex((node) => isWord(node, 'WITH'));
  const items = itemsOf(end === -1 ? nodes : nodes.slice(0, end));
  if (sets === -1) return items;
  return nodes.flatMap((node, at) => {
    const isSets = isList(node) && SETS.test(nodes[at - 1]?.text ?? '');
    return isSets ? itemsOf(node.nodes).flatMap(within) : [];
  });
}

const within = (item: Nodes): readonly Nodes[] => {
  const [only, more] = item;
  return isList(only) && !more && !isQuery(only.nodes) ? itemsOf(only.nodes) : [item];
};

/** The items of the select list that have a name, by it. */
function namedItems(items: readonly Nodes[]): ReadonlyMap<string, Nodes> {
  const named = new Map<string, Nodes>();
  for (const item of items) {
    const name = isWord(item.at(-2), 'AS') ? nameOf(item.at(-1)) : undefined;
    if (name !== undefined && !named.has(name)) named.set(name, item);
  }
  return named;
}

/** Gives the expression that a place or a name of the select list stands for. */
function meaningOf(
  key: Nodes,
  items: readonly Nodes[],
  named: ReadonlyMap<string, Nodes>,
  types: ValueTypes,
): Nodes {
  const [only, more] = key;
  if (isWord(key.at(-2), 'AS')) return key.slice(0, -2);
  if (!only || more) return key;
  const place = only.kind === 'number' ? items[Number(only.text) - 1] : undefined;
  if (place) return valueOf(place);
  const name = nameOf(only);
  const item = name === undefined || types.hasColumn(name) ? undefined : named.get(name);
  return item ? valueOf(item) : key;
}

const valueOf = (item: Nodes): Nodes => (isWord(item.at(-2), 'AS') ? item.slice(0, -2) : item);

const PATH_LENGTH = 3;

/** The `v` of `t.v`, which are one column. */
function columnOf([first, dot, second, more]: Nodes, tables: ReadonlySet<string>) {
  return isSymbol(dot, '.') && !more && tables.has(nameOf(first) ?? '') ? second : undefined;
}

const textOf = ({ start, end }: Node, source: string): string => source.slice(start, end);

const hasQuery = (nodes: Nodes): boolean =>
  nodes.some((node) => node.kind === 'group' && (isQuery(node.nodes) || hasQuery(node.nodes)));
