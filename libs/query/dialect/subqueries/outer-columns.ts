import { MillraceError } from '@app/platform';
import { aliasesOf } from '../names/aliases.js';
import { isKeyword } from '../operands.js';
import type { ObjectShapes, Scope } from '../queries/object-shapes.js';
import {
  behindOperator,
  clausesOf,
  isSetOperator,
  type Clause,
} from '../queries/select-clauses.js';
import {
  isList,
  isQuery,
  isSymbol,
  isWord,
  itemsOf,
  nameOf,
  type Node,
  type Nodes,
} from '../source-tree.js';
import { nullRejecting } from './null-rejection.js';

/** A name within a subquery that is a column of the row around it. */
export interface OuterColumn {
  /** The first node of the name. */
  readonly node: Node;
  /** The number of its nodes: `t.n` has three. */
  readonly length: number;
  readonly path: readonly string[];
  /** The place in the statement where the name ends. */
  readonly end: number;
  /** True if the subquery finds nothing where the column is null. */
  readonly isRejected: boolean;
  /** True if the subquery has only rows in which a column of its own tables is equal to it. */
  readonly isLinked: boolean;
  /** True within a query within the subquery. */
  readonly isDeep: boolean;
}

/** Tells whether two columns of tables have the same type, with or without null. */
export type HasSameType = (
  one: readonly string[],
  other: readonly string[],
  /** FROM of the SELECT in which they are compared. */
  from: Nodes,
) => boolean;

/**
 * Finds the columns of the row around a subquery.
 * @param nodes the subquery without its brackets
 * @param around the meaning of names around it
 * @param list the SELECT list around it
 * @throws {MillraceError} INVALID_SQL for a name of that list, which the engine would take for
 *   several columns
 */
export function outerColumns(
  nodes: Nodes,
  around: Scope,
  shapes: ObjectShapes,
  hasSameType: HasSameType,
  list: Nodes,
): readonly OuterColumn[] {
  const found: OuterColumn[] = [];
  const own = aliasesOf(nodes);
  const computed = new Set(computedIn(list).filter((name) => !own.has(name)));
  query(nodes, around, { around, shapes, found, hasSameType, computed, depth: 0 });
  const names = (those: readonly OuterColumn[]) => new Set(those.map(({ path }) => path.join('.')));
  const rejected = names(found.filter(({ isRejected }) => isRejected));
  const linked = names(found.filter(({ isLinked }) => isLinked));
  return found.map((each) => {
    const name = each.path.join('.');
    return { ...each, isRejected: rejected.has(name), isLinked: linked.has(name) };
  });
}

interface Search {
  readonly around: Scope;
  readonly shapes: ObjectShapes;
  readonly found: OuterColumn[];
  readonly hasSameType: HasSameType;
  /** Names of the SELECT list around the subquery. */
  readonly computed: ReadonlySet<string>;
  readonly depth: number;
}

/** The names of a SELECT list that stand for an expression of columns. */
const computedIn = (list: Nodes): readonly string[] =>
  itemsOf(list).flatMap((item) => {
    const name = isWord(item.at(-2), 'AS') ? nameOf(item.at(-1)) : undefined;
    const value = item.slice(0, -2);
    return name === undefined || !hasNames(value) ? [] : [name];
  });

const hasNames = (nodes: Nodes): boolean =>
  nodes.some((node, at) =>
    node.kind === 'group' ? hasNames(node.nodes) : pathAt(nodes, at).length > 0,
  );

function query(nodes: Nodes, outer: Scope, search: Search): void {
  const isSingle = !nodes.some((_, at) => isSetOperator(nodes, at));
  let begun = 0;
  for (let at = 0; at <= nodes.length; at += 1) {
    if (at < nodes.length && !isSetOperator(nodes, at)) continue;
    select(nodes.slice(begun, at), outer, isSingle, search);
    begun = behindOperator(nodes, at);
  }
}

function select(nodes: Nodes, outer: Scope, isSingle: boolean, search: Search): void {
  const [first] = nodes;
  if (isList(first)) {
    query(first.nodes, outer, search);
    return;
  }
  const clauses = clausesOf(nodes);
  const scope = search.shapes.scopeOf(nodes, clauses, outer);
  for (const clause of clauses) {
    const body = nodes.slice(clause.from, clause.to);
    const rejecting = isSingle && /WHERE$/.test(clause.word) ? nullRejecting(body) : [];
    const from = clauses.flatMap((each) =>
      each.word === 'FROM' ? nodes.slice(each.from, each.to) : [],
    );
    const names = {
      rejecting: new Set(rejecting.flatMap(namesIn)),
      linked: new Set(rejecting.flatMap((condition) => linkedIn(condition, scope, search, from))),
    };
    expression(body, withinClause(clause, scope, outer), names, search);
  }
}

/** A query in FROM does not see the tables beside it. */
const withinClause = ({ word }: Clause, own: Scope, outer: Scope): Places => ({
  own,
  queries: word === 'FROM' || word === 'WITH' ? { ...own, sources: [], outer } : own,
});

interface Places {
  readonly own: Scope;
  /** The names that queries within this clause see. */
  readonly queries: Scope;
}

/** The names of the row around in `own = outer`. */
function linkedIn(condition: Nodes, own: Scope, search: Search, from: Nodes): readonly Node[] {
  const sign = condition.findIndex((node) => isSymbol(node, '='));
  const sides = [condition.slice(0, sign), condition.slice(sign + 1)].map((nodes) => ({
    path: pathAt(nodes, 0),
    nodes,
  }));
  const [left, right] = sides;
  if (sign === -1 || sides.some(({ path, nodes }) => path.length * 2 - 1 !== nodes.length))
    return [];
  // A column of a query between the two is neither's.
  const isOwn = sides.some(({ path }) => isOf(path, own, true));
  const isSame = left && right && isOwn && search.hasSameType(left.path, right.path, from);
  const outer = sides.filter(({ path }) => isOuter(path, own, search.around));
  return isSame && outer.length === 1 ? outer.flatMap(({ nodes }) => nodes.slice(0, 1)) : [];
}

interface Marked {
  readonly rejecting: ReadonlySet<Node>;
  readonly linked: ReadonlySet<Node>;
}

function expression(nodes: Nodes, places: Places, marked: Marked, search: Search): void {
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at] as Node;
    if (node.kind === 'group') {
      if (isQuery(node.nodes))
        query(node.nodes, places.queries, { ...search, depth: search.depth + 1 });
      else expression(node.nodes, places, marked, search);
      continue;
    }
    const path = pathAt(nodes, at);
    if (path.length === 0) continue;
    const length = path.length * 2 - 1;
    if (isOuter(path, places.own, search.around))
      search.found.push({
        node,
        length,
        path,
        end: (nodes[at + length - 1] as Node).end,
        isRejected: marked.rejecting.has(node),
        isLinked: marked.linked.has(node),
        isDeep: search.depth > 0,
      });
    else if (path.length === 1 && isNowhere(path, places.own)) checkComputed(path, search);
    at += length - 1;
  }
}

function checkComputed([name = '']: readonly string[], { computed }: Search): void {
  if (!computed.has(name)) return;
  throw new MillraceError(
    'INVALID_SQL',
    `a subquery cannot look at ${name}, which the SELECT around it computes: name it in an inner SELECT, FROM (SELECT *, … AS ${name} FROM t) AS t`,
  );
}

function isNowhere(path: readonly string[], own: Scope): boolean {
  if (path.some((name) => own.elements.has(name))) return false;
  for (let scope: Scope | undefined = own; scope; scope = scope.outer)
    if (isOf(path, scope, true)) return false;
  return true;
}

/** The names with dots between them that begin there; none where no column is named. */
function pathAt(nodes: Nodes, at: number): readonly string[] {
  const first = nodes[at];
  const name = nameOf(first);
  if (name === undefined || isWord(nodes[at - 1], 'AS') || isSymbol(nodes[at - 1], '.')) return [];
  if (first?.kind === 'word' && isKeyword(first.text)) return [];
  const path = [name];
  for (let next = at + 1; isSymbol(nodes[next], '.'); next += 2) {
    const more = nameOf(nodes[next + 1]);
    if (more === undefined) break;
    path.push(more);
  }
  return isList(nodes[at + path.length * 2 - 1]) ? [] : path;
}

function isOuter(path: readonly string[], own: Scope, around: Scope): boolean {
  if (path.slice(0, 1).some((name) => own.elements.has(name))) return false;
  for (let scope: Scope | undefined = own; scope && scope !== around; scope = scope.outer)
    if (isOf(path, scope, true)) return false;
  return isOf(path, around, false);
}

/** True for an expression of columns of the tables of this SELECT, without subqueries. */
export function isWithin(nodes: Nodes, scope: Scope): boolean {
  return nodes.every((node, at) => {
    if (isSymbol(node, '->')) return false;
    if (node.kind === 'group') return !isQuery(node.nodes) && isWithin(node.nodes, scope);
    const path = pathAt(nodes, at);
    return path.length === 0 || CONSTANT.test(node.text) || isOf(path, scope, false);
  });
}

const CONSTANT = /^(?:NULL|TRUE|FALSE)$/i;

/** @param isUnknown what a table without known columns has */
function isOf([first = '', ...rest]: readonly string[], scope: Scope, isUnknown: boolean): boolean {
  return scope.sources.some(({ name, shape }) => {
    if (rest.length > 0 && name === first) return true;
    const { named, objects } = shape;
    if (named.size === 0 && objects.size === 0) return isUnknown && rest.length === 0;
    return named.has(first) || objects.has(first);
  });
}

/** The names outside of subqueries. */
const namesIn = (nodes: Nodes): readonly Node[] =>
  nodes.flatMap((node) => {
    if (node.kind !== 'group') return [node];
    return isQuery(node.nodes) ? [] : namesIn(node.nodes);
  });
