import { callAt, isKeyword, type Call } from '../operands.js';
import {
  isList,
  isQuery,
  isSymbol,
  isWord,
  itemsOf,
  nameOf,
  type Group,
  type Node,
  type Nodes,
} from '../source-tree.js';
import { clausesOf, isSetOperator, type Clause } from '../queries/select-clauses.js';
import { fromOf } from '../names/table-names.js';

const COUNTS =
  /^(?:count|uniq(?:Exact|Combined|Combined64|HLL12|Theta)?|regr_count|approx_distinct|approx_count_distinct|count_if)(?:Distinct)?(?:If)?$/i;
const LISTS =
  /^(?:groupArray|groupUniqArray|array_agg|list|topK|quantiles\w*)(?:Distinct)?(?:If)?$/i;
const SUMS = /^(?:sum|min|max|avg)(?:If)?$/i;
/** The other aggregates that are null where there are no rows. */
const OTHERS =
  /^(?:sum|avg|any|any_value|anyLast|first|last|arbitrary|median|mode|product|bool_and|bool_or|every|group_concat|groupConcat|string_agg|listagg|arg_?max|arg_?min|(?:max|min)_by|group_?bit_?(?:and|or|xor)|bit_(?:and|or|xor)|(?:std_?dev|var|covar)_?(?:pop|samp)(?:Stable)?|stddev|variance|corr|regr_\w+|kurtosis\w*|skewness\w*|kurt\w+|skew\w+|quantile\w*|percentile_\w+|approx_\w+|singleValueOrNull)(?:Distinct)?(?:If)?$/i;
/**
 * Functions that are the same in the engine, and null only where a value is. So null tells that there
 * were no rows; CASE, OR and nullif may be null beside rows, too.
 */
const PASSES = /^(?:coalesce|ifNull|nvl|concat|round|abs)$/i;
const WORDS = /^(?:NOT|NULL|true|false)$/i;
const SIGNS = /^(?:[-+*/%=<>]|[<>!]=|<>)$/;
const PLAIN = new Set(['SELECT', 'FROM', 'PREWHERE', 'WHERE', 'HAVING']);

/** A subquery of aggregates alone, which has a row also where it finds none. */
export interface Aggregated {
  /** Its only item. */
  readonly item: Nodes;
  /** The name of the item. */
  readonly alias: Node | undefined;
  /** The condition of HAVING. */
  readonly having: Nodes | undefined;
  /** True behind EXISTS. */
  readonly isExists: boolean;
  /** The columns of a subquery of aggregates in FROM, of which the item is. */
  readonly within?: ReadonlyMap<string, Nodes>;
}

/** The values of subqueries that find no rows, as SQL. Each is asked for once it is written. */
const OF_NOTHING = new WeakMap<Node, string>();
/** The SELECT of each subquery that has one row, so that DISTINCT, which the engine refuses, is left out. */
const ONE_ROW = new WeakSet<Node>();
/** Subqueries that are written as lists of one element, by their brackets and by their SELECT. */
const LISTED = new WeakMap<Node, Aggregated>();

/**
 * Finds subqueries such as `(SELECT count(*) FROM u WHERE u.k = t.k)`. The engine joins such a
 * subquery by its keys, and returns null for a key without rows, for which its count is 0.
 * @param nodes an expression, or several
 */
export function findSumsOfNothing(nodes: Nodes): void {
  for (const [at, node] of nodes.entries()) {
    if (node.kind !== 'group' || isWord(nodes[at - 1], 'IN')) continue;
    const isExists = isWord(nodes[at - 1], 'EXISTS');
    if (!isQuery(node.nodes) || (isBrackets(node.nodes) && !isExists))
      findSumsOfNothing(node.nodes);
    else if (isList(node)) findOfNothing(node, isExists);
  }
}

const isBrackets = ([only, more]: Nodes): boolean => isList(only) && more === undefined;

/** The query in brackets, of which the engine prints two pairs behind EXISTS. */
function queryWithin({ nodes }: Group): Nodes {
  const [only, more] = nodes;
  return isList(only) && !more ? queryWithin(only) : nodes;
}

function findOfNothing(node: Group, isExists: boolean): void {
  const query = queryWithin(node);
  const found = aggregatedOf(query, isExists);
  const [select] = query;
  if (!found || !select) return;
  ONE_ROW.add(select);
  const value = isExists || found.having ? undefined : computedOfNothing(found.item);
  if (value !== undefined) OF_NOTHING.set(node, value);
  else if (isExists || found.having || found.within || mayBeOfNothing(found.item)) {
    LISTED.set(node, found);
    LISTED.set(select, found);
  }
}

/** Adds to the text of a subquery the value for no rows, if it is known. */
export function orOfNothing(group: Node | undefined, written: string): string {
  const value = group && OF_NOTHING.get(group);
  return value === undefined ? written : `ifNull(${written}, ${value})`;
}

/** True for the SELECT of a subquery that has one row. */
export const isOneRow = (select: Node | undefined): boolean =>
  select !== undefined && ONE_ROW.has(select);

/** True for the brackets of a subquery that is written as a list. */
export const isListed = (group: Node | undefined): boolean =>
  group?.kind === 'group' && LISTED.has(group);

/**
 * The subquery whose brackets, or whose SELECT, that is. A null beside rows and a missing row are
 * told apart by the list: the engine has an empty one where there are no rows.
 */
export const listedOfNothing = (node: Node | undefined): Aggregated | undefined =>
  node && LISTED.get(node);

/** Finds the item of a subquery that has one row. */
export function aggregatedOf(nodes: Nodes, isExists: boolean): Aggregated | undefined {
  if (nodes.some((_, at) => isSetOperator(nodes, at))) return undefined;
  const clauses = clausesOf(nodes);
  const [list] = clauses;
  if (list?.word !== 'SELECT' || clauses.some(({ word }) => !PLAIN.has(word))) return undefined;
  // There is one row, and so none twice.
  const from = isWord(nodes[list.from], 'DISTINCT') ? list.from + 1 : list.from;
  const [item = [], another] = itemsOf(nodes.slice(from, list.to));
  if (another && !isExists) return undefined;
  const alias = isWord(item.at(-2), 'AS') ? item.at(-1) : undefined;
  const value = alias ? item.slice(0, -2) : item;
  const clause = clauses.find(({ word }) => word === 'HAVING');
  const having = clause && nodes.slice(clause.from, clause.to);
  // Without an aggregate there is no row, and so no value: `(SELECT 1 FROM u WHERE u.k = t.k)`.
  const isOne = isAggregated(value) || (having !== undefined && isAggregated(having));
  if (isOne) return { item: value, alias, having, isExists };
  const within = isExists || clauses.length > 2 ? undefined : derivedOf(clauses, nodes);
  if (!within || !isOf(value, within)) return undefined;
  return { item: value, alias, having: undefined, isExists, within };
}

/** The names and the expressions of a subquery of aggregates that FROM reads, and nothing else. */
function derivedOf(
  clauses: readonly Clause[],
  nodes: Nodes,
): ReadonlyMap<string, Nodes> | undefined {
  const [group, as, , more] = fromOf(nodes, clauses);
  if (!isList(group) || more || (as && !isWord(as, 'AS')) || !isQuery(group.nodes))
    return undefined;
  const inner = clausesOf(group.nodes);
  const [list] = inner;
  const isPlain = list?.word === 'SELECT' && inner.every(({ word }) => PLAIN.has(word) && word !== 'HAVING'); // prettier-ignore
  if (!isPlain || group.nodes.some((_, at) => isSetOperator(group.nodes, at))) return undefined;
  const named = itemsOf(group.nodes.slice(list.from, list.to)).flatMap((item) => {
    const name = isWord(item.at(-2), 'AS') ? nameOf(item.at(-1)) : undefined;
    return name === undefined ? [] : [[name, item.slice(0, -2)] as const];
  });
  return named.some(([, item]) => isAggregated(item)) ? new Map(named) : undefined;
}

/** True for an expression of these names alone. */
function isOf(nodes: Nodes, names: ReadonlyMap<string, Nodes>): boolean {
  return nodes.every((node, at) => {
    if (node.kind === 'group') return !isQuery(node.nodes) && isOf(node.nodes, names);
    if (isSymbol(node, '.')) return false;
    const name = nameOf(node);
    return name === undefined || names.has(name) || isList(nodes[at + 1]) || isKeyword(name);
  });
}

export function isAggregated(nodes: Nodes): boolean {
  return nodes.some((node, at) => {
    if (node.kind === 'group') return !isQuery(node.nodes) && isAggregated(node.nodes);
    const call = callAt(nodes, at);
    return call !== undefined && valueOfAggregate(call) !== undefined;
  });
}

/** The value of an aggregate of no rows, as SQL; undefined for another call. */
export function valueOfAggregate({ name, overAt, end }: Call): string | undefined {
  if (overAt !== end) return undefined;
  if (COUNTS.test(name)) return '0';
  if (LISTS.test(name)) return '[]';
  return SUMS.test(name) || OTHERS.test(name) ? 'NULL' : undefined;
}

/**
 * True if there may be a value where there are no rows: for anything that is not one aggregate with
 * the value null.
 */
function mayBeOfNothing(nodes: Nodes): boolean {
  const [only, more] = nodes;
  if (isList(only) && !more && !isQuery(only.nodes)) return mayBeOfNothing(only.nodes);
  const call = callAt(nodes, 0);
  // An empty list is what the engine has for a missing one.
  return call?.end !== nodes.length || !/^(?:NULL|\[\])$/.test(valueOfAggregate(call) ?? '');
}

/** `count(*) + 1`, `count(*) = 0`: what is computed of aggregates and literals alone, where there are no rows. */
function computedOfNothing(nodes: Nodes): string | undefined {
  let text = '';
  for (let at = 0; at < nodes.length;) {
    const node = nodes[at] as Node;
    const call = callAt(nodes, at);
    const piece = call ? callOfNothing(call) : pieceOf(node);
    if (piece === undefined) return undefined;
    text += ` ${piece}`;
    at = call?.end ?? at + 1;
  }
  return text.trim();
}

function callOfNothing(call: Call): string | undefined {
  const { name, list, more } = call;
  if (call.overAt !== call.end || more) return undefined;
  if (COUNTS.test(name) || SUMS.test(name)) return valueOfAggregate(call);
  if (!PASSES.test(name)) return undefined;
  const values = itemsOf(list.nodes).map(computedOfNothing);
  return values.includes(undefined) ? undefined : `${name}(${values.join(', ')})`;
}

function pieceOf(node: Node): string | undefined {
  if (node.kind === 'number' || node.kind === 'text') return node.text;
  if (node.kind === 'symbol') return SIGNS.test(node.text) ? node.text : undefined;
  if (node.kind === 'word') return WORDS.test(node.text) ? node.text : undefined;
  const inner = isList(node) && !isQuery(node.nodes) ? computedOfNothing(node.nodes) : undefined;
  return inner === undefined ? undefined : `(${inner})`;
}
