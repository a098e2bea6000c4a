import { quoteIdentifier } from '@app/warehouse';
import { callAt, operandEnd } from '../operands.js';
import { withOneZero } from '../numbers/one-zero.js';
import { bridged } from './common-columns.js';
import { isCondition } from './conditions.js';
import { clausesOf, isSetOperator } from './select-clauses.js';
import {
  endOf,
  isNameLike,
  isSymbol,
  isWord,
  itemAt,
  itemsOf,
  nameOf,
  startOf,
  type Nodes,
} from '../source-tree.js';

/** An item of the select list. */
export interface SelectItem {
  /** The item in the engine's SQL, with its name. */
  readonly text: string;
  /** The same without the name. */
  readonly expression: string;
  /** The name of the column, if the statement or this program gave it one. */
  readonly name: string | undefined;
  /** Tells whether it may stand for several columns. */
  readonly isMany: boolean;
  /** Tells whether it is a column with its table's name, as `t.name` or `t.name AS name`. */
  readonly isOfTable: boolean;
}

interface Writer {
  write(nodes: Nodes): string;
  /** Counts the length of a name that is added. */
  named(name: string): string;
}

const NAME_MAX = 200;
const MANY = /^(?:COLUMNS|untuple|\*)$/i;

/**
 * Names and literals keep the name that the engine gives them. So does text that is no expression.
 */
function isPlain(nodes: Nodes): boolean {
  const [first] = nodes;
  if (nodes.length === 1) return first?.kind !== 'group';
  if (isSymbol(first, '-') && nodes.length === 2) return nodes[1]?.kind === 'number';
  // Names without a symbol between them are words of an expression: `a IS NULL`.
  return nodes.every((node, at) =>
    isNameLike(node) ? !isNameLike(nodes[at - 1]) : isSymbol(node, '.') || isSymbol(node, ':'),
  );
}

/** Tells whether it may stand for several columns. */
export const isMany = (nodes: Nodes): boolean =>
  MANY.test(nodes[0]?.text ?? '') ||
  nodes.some((node, at) => isSymbol(node, '*') && (at === 0 || isSymbol(nodes[at - 1], '.'))) ||
  nodes.some((node) => isWord(node, 'APPLY')) ||
  nodes.some((node, at) => isWord(node, 'COLUMNS') && isSymbol(nodes[at - 1], '.'));

/**
 * Writes the select list. Comparisons become booleans, and a column without a name is called as it
 * was written.
 * @param tables names of the tables in FROM.
 */
export function selectItems(
  items: readonly Nodes[],
  tables: ReadonlySet<string>,
  expressions: Writer,
  source: string,
): readonly SelectItem[] {
  const shared = sharedNames(items);
  const hasMany = items.some(isMany);
  return items.map((item) => {
    const as = item.length > 2 && isWord(item.at(-2), 'AS') ? item.at(-1) : undefined;
    const nodes = as ? item.slice(0, -2) : item;
    const many = isMany(nodes);
    const value = expressions.write(nodes);
    const expression = !many && isCondition(nodes) ? `CAST(${value}, 'Bool')` : value;
    const said = as && as.kind !== 'group' ? as.value : undefined;
    const asText = as ? ` AS ${source.slice(as.start, as.end)}` : '';
    const given =
      as || many ? undefined : nameFor(nodes, expression, { source, tables, shared, hasMany });
    const name = given === undefined ? undefined : expressions.named(given);
    const text = expression + (name === undefined ? asText : ` AS ${quoteIdentifier(name)}`);
    const last = nodes.length > 1 && isPlain(nodes) ? nodes.at(-1) : undefined;
    const isOfTable = last !== undefined && last.kind !== 'group' && (said ?? last.value) === last.value; // prettier-ignore
    return { text, expression, name: said ?? given, isMany: many, isOfTable };
  });
}

interface Surroundings {
  readonly source: string;
  readonly tables: ReadonlySet<string>;
  readonly shared: ReadonlySet<string>;
  readonly hasMany: boolean;
}

function nameFor(
  nodes: Nodes,
  expression: string,
  { source, tables, shared, hasMany }: Surroundings,
): string | undefined {
  const [table, , column] = nodes;
  if (isPlain(nodes)) {
    const written = source.slice(startOf(nodes), endOf(nodes));
    const isKey = nodes.length === 3 && expression === withOneZero(written);
    if (isKey && nameOf(column) !== undefined && tables.has(nameOf(table) ?? ''))
      return shared.has(nameOf(column) ?? '') ? written : nameOf(column);
    if (expression !== written) return nameOfField(nodes, tables, shared); // prettier-ignore
    if (tables.size < 2 || nodes.length !== 3 || hasMany) return undefined;
    if (table?.kind === 'group' || column?.kind === 'group' || !table || !column) return undefined;
    return tables.has(table.value) && !shared.has(column.value) ? column.value : undefined;
  }
  const written = source.slice(startOf(nodes), endOf(nodes));
  if (written === expression && isSimpleCall(nodes)) return undefined;
  return written.length > NAME_MAX && written === expression ? undefined : written;
}

/**
 * The name of a field within objects, `t.k.n`. The table stands in it only if two columns would
 * have the same name without it.
 */
function nameOfField(
  nodes: Nodes,
  tables: ReadonlySet<string>,
  shared: ReadonlySet<string>,
): string {
  const names = nodes.flatMap((node) => (isNameLike(node) && node.kind !== 'group' ? [node.value] : [])); // prettier-ignore
  const [table = '', ...rest] = names;
  const isOfTable = rest.join('.').includes('.') && tables.has(table) && !rest.slice(-1).some((name) => shared.has(name)); // prettier-ignore
  return (isOfTable ? rest : names).join('.');
}

/** The engine itself also names a call of plain names like this. */
function isSimpleCall(nodes: Nodes): boolean {
  const call = callAt(nodes, 0);
  if (call?.end !== nodes.length || call.more) return false;
  return call.list.nodes.every(
    (node) =>
      isNameLike(node) || node.kind === 'number' || isSymbol(node, ',') || isSymbol(node, '.'),
  );
}

/** The names that more than one column of the list would have. */
function sharedNames(items: readonly Nodes[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const item of items) {
    const last = item.at(-1);
    const named = isWord(item.at(-2), 'AS') || operandEnd(item, 0) === item.length;
    if (!last || last.kind === 'group' || !named) continue;
    if (seen.has(last.value)) shared.add(last.value);
    seen.add(last.value);
  }
  return shared;
}

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
