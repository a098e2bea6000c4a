import type { Known } from '../casts/known-type.js';
import { constantOf } from '../numbers/constants.js';
import {
  isList,
  isQuery,
  isSymbol,
  isWord,
  itemAt,
  itemsOf,
  type Group,
  type Nodes,
} from '../source-tree.js';

export interface Membership {
  readonly isNegated: boolean;
  readonly list: Group;
  /** The index after the whole expression. */
  readonly end: number;
}

/** Finds `IN (…)` or `NOT IN (…)` at this place. */
export function membershipAt(nodes: Nodes, at: number): Membership | undefined {
  const isNegated = isWord(nodes[at], 'NOT');
  const word = isNegated ? at + 1 : at;
  const list = nodes[word + 1];
  if (!isWord(nodes[word], 'IN') || !isList(list)) return undefined;
  return { isNegated, list, end: word + 2 };
}

/**
 * Writes the left side of IN. Beside a text of fixed length, the engine refuses longer texts in the
 * list.
 */
export function soughtValue(
  value: Nodes,
  typeOf: (nodes: Nodes) => Known,
  write: (nodes: Nodes) => string,
): string {
  const isFixed = (item: Nodes): boolean => typeof typeOf(item).bytes === 'number';
  const [only, more] = value;
  const items = isList(only) && more === undefined && !isQuery(only.nodes) ? itemsOf(only.nodes) : []; // prettier-ignore
  const text = (item: Nodes): string => (isFixed(item) ? `toString(${write(item)})` : write(item));
  return items.length > 1 && items.some(isFixed) ? `(${items.map(text).join(', ')})` : text(value);
}

/** `0.` is how the engine prints 0.0. */
const ZERO = /^0+\.?0*(?:e[-+]?\d+)?$/i;

export function isZero(nodes: Nodes): boolean {
  const [only, more] = isSymbol(nodes[0], '-') ? nodes.slice(1) : nodes;
  const isPlain = only?.kind === 'number' && !more && ZERO.test(only.text);
  return isPlain || constantOf(nodes)?.value === 0n;
}

const isNull = ([only, more]: Nodes): boolean => more === undefined && isWord(only, 'NULL');

/** The left side of IN. */
export interface Sought {
  readonly nodes: Nodes;
  /** In the engine's SQL. It is written several times. */
  readonly value: string;
  readonly typeOf: (nodes: Nodes) => Known;
  /** Counts a text that is added. */
  readonly add: (text: string) => string;
}

/** The columns of the left side of IN, of which a row has several. */
export const columnsOf = (nodes: Nodes): readonly Nodes[] => {
  const list = isRow(nodes) ? nodes.at(-1) : undefined;
  if (!isList(list)) return [nodes];
  const items = itemsOf(list.nodes);
  return items.length === 1 && nodes.length === 1 ? columnsOf(itemAt(items, 0)) : items;
};

/**
 * Tells whether a value is in a list. If the list contains a null and not the value, the result is
 * null: the null might be that value.
 * @param writeItem an item of the list in the engine's SQL, beside a value
 */
export function membership(
  { isNegated, list }: Membership,
  { nodes, value, typeOf, add }: Sought,
  writeItem: (item: Nodes, beside: Nodes) => string,
): string {
  const items = itemsOf(list.nodes);
  const columns = columnsOf(nodes).map((column) => ({ column, isExact: typeOf(column).kind === 'decimal' })); // prettier-ignore
  const isOfDecimals = columns.length > 1 && columns.some(({ isExact }) => isExact);
  const one = (item: Nodes): string => {
    const cells = isOfDecimals ? columnsOf(item) : [];
    if (cells.length !== columns.length) return writeItem(item, nodes);
    const written = columns.map(({ column, isExact }, at) => {
      const cell = itemAt(cells, at);
      return writeItem(cell, isExact ? column : cell);
    });
    return `(${written.join(', ')})`;
  };
  const isFloat = typeOf(nodes).kind === 'float';
  // The engine's list tells -0.0 from 0.0.
  const write = (item: Nodes): string => isFloat && isZero(item) ? `${one(item)}, ${isSymbol(item[0], '-') ? '0' : '-0.0'}` : one(item); // prettier-ignore
  const values = items.filter((item) => !isNull(item));
  const others = isRow(nodes) ? [] : values.filter((item) => !isConstant(item));
  if (others.length > 0) {
    const known = values.filter((item) => !others.includes(item)).map(write);
    const found = known.length === 0 ? [] : [add(`${value} IN (${known.join(', ')})`)];
    const equal = others.map((item) => add(`${value} = (${write(item)})`));
    const unknown = values.length === items.length ? [] : ['NULL'];
    return `${isNegated ? 'NOT ' : ''}(${[...found, ...equal, ...unknown].join(' OR ')})`;
  }
  const written = `(${values.map(write).join(', ')})`;
  if (values.length === items.length) return `${value} ${isNegated ? 'NOT ' : ''}IN ${written}`;
  const found = values.length === 0 ? 'NULL' : `(${value} IN ${written})`;
  return `if(${found}, ${String(!isNegated)}, NULL)`;
}

/** `(a, b)` or `tuple(a, b)`; `(a + 1)` is one value. */
function isRow([first, second, more]: Nodes): boolean {
  if (second === undefined)
    return isList(first) && !isQuery(first.nodes) && (itemsOf(first.nodes).length > 1 || isRow(first.nodes)); // prettier-ignore
  return more === undefined && isList(second) && /^(?:tuple|ROW)$/i.test(first?.text ?? '');
}

/** True for what has one value in all rows, and no null; any other may be null in some. */
function isConstant(nodes: Nodes): boolean {
  return nodes.every((node, at) => {
    if (node.kind === 'group')
      return node.text === '{' ? !mayBeNull(node.nodes) : !isQuery(node.nodes) && isConstant(node.nodes); // prettier-ignore
    const isName = node.kind === 'word' || node.kind === 'name';
    if (isName && NULLS.test(node.text)) return false;
    return !isName || isList(nodes[at + 1]) || /^(?:true|false)$/i.test(node.text);
  });
}

const NULLS = /^(?:NULL|nullIf|try_cast|\w+OrNull)$/i;
/** The type of a value from outside, `{name:Nullable(Int64)}`. */
const mayBeNull = (type: Nodes): boolean => type.some((node) => isWord(node, 'Nullable'));
