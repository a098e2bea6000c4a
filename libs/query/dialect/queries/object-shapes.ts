import { certain } from '@app/platform';
import type { FieldWithin, TableDescription } from '../../catalog.js';
import type { Within } from '../names/keys-of-structs.js';
import { NameLookups } from './name-lookups.js';
import { behindOperator, isSetOperator, clausesOf, type Clause } from './select-clauses.js';
import {
  isList,
  isQuery,
  isSymbol,
  isWord,
  itemsOf,
  nameOf,
  pathOf,
  type Node,
  type Nodes,
} from '../source-tree.js';

/**
 * The columns of objects of a table, or of a query in its place, and the names of all its known
 * columns.
 */
export interface Shape {
  readonly objects: ReadonlyMap<string, Within>;
  readonly named: ReadonlySet<string>;
}

/** The meaning of names within one SELECT. */
export interface Scope {
  readonly sources: readonly { readonly name: string | undefined; readonly shape: Shape }[];
  readonly outer: Scope | undefined;
  /** The queries that WITH defines. */
  readonly queries: ReadonlyMap<string, Shape>;
  /** The places where FROM names tables: no name there is a column. */
  readonly places: ReadonlySet<Node>;
  /** The names of list elements (see {@link elementNames}): none of them is a column of objects. */
  readonly elements: ReadonlySet<string>;
  /** The lookups of the whole statement; undefined if no table is in reach. */
  readonly lookups: NameLookups | undefined;
}

const UNKNOWN: Shape = { objects: new Map(), named: new Set() };
export const OUTERMOST: Scope = {
  sources: [],
  outer: undefined,
  queries: new Map(),
  places: new Set(),
  elements: new Set(),
  lookups: undefined,
};

/** Finds the columns of objects in each clause of a statement. */
export class ObjectShapes {
  /** Queries by the brackets around them, because each is examined only once. */
  private readonly known = new WeakMap<Node, Shape>();
  private readonly tables = new Map<string, Shape>();
  private readonly lookups = new NameLookups();

  /** @param elements see {@link elementNames} */
  constructor(
    private readonly table: (name: string) => TableDescription | undefined,
    private readonly elements: ReadonlySet<string>,
  ) {}

  /** The shape of the rows of a whole statement. */
  rowsOf(statement: Nodes): Shape {
    return this.shapeOf(statement, OUTERMOST);
  }

  /** @param nodes of one SELECT with its clauses */
  scopeOf(nodes: Nodes, clauses: readonly Clause[], outer: Scope): Scope {
    const within = bodyOf(nodes, clauses, 'WITH');
    // Each is examined while only those before it exist.
    const named = within.length === 0 ? undefined : new Map(outer.queries);
    const queries = named ?? outer.queries;
    for (const item of itemsOf(within)) {
      const [first, ...rest] = isWord(item[0], 'RECURSIVE') ? item.slice(1) : item;
      const name = nameOf(first);
      const query = rest.at(-1);
      if (name !== undefined && isWord(rest[0], 'AS') && isList(query))
        named?.set(name, this.shapeIn(query, { ...outer, queries }));
    }
    const places = new Set<Node>();
    const { elements, lookups } = this;
    const own = { sources: [], outer, queries, places, elements, lookups };
    const from = bodyOf(nodes, clauses, 'FROM');
    const sources = from.flatMap((node, at) => {
      const source = beginsTable(from, at) ? this.source(from, at, own) : undefined;
      if (source && node.kind !== 'group') places.add(node);
      return source ?? [];
    });
    return { sources, outer, queries, places, elements, lookups };
  }

  private source(from: Nodes, at: number, scope: Scope): Scope['sources'][number] {
    const node = from[at];
    const alias = isWord(from[at + 1], 'AS') ? nameOf(from[at + 2]) : undefined;
    // `t AS u(a, b)` gives the columns other names.
    if (alias !== undefined && isList(from[at + 3])) return { name: alias, shape: UNKNOWN };
    if (isList(node)) return { name: alias, shape: this.shapeIn(node, scope) };
    const name = nameOf(node) ?? '';
    const isPlain = !isSymbol(from[at + 1], '.') && !isList(from[at + 1]);
    const shape = isPlain ? (scope.queries.get(name) ?? this.shapeOfTable(name)) : UNKNOWN;
    return { name: alias ?? name, shape };
  }

  private shapeOfTable(name: string): Shape {
    const known = this.tables.get(name) ?? this.describedTable(name);
    this.tables.set(name, known);
    return known;
  }

  private describedTable(name: string): Shape {
    const table = this.table(name);
    if (!table) return UNKNOWN;
    const { columns, within = [], given } = table;
    const objects = new Map(
      columns
        .filter(({ type }) => HOLDS_OBJECTS.test(type))
        .map(({ name }) => [name, Object.assign(new Map<string, FieldWithin>(), { given: given?.get(name) })]), // prettier-ignore
    );
    for (const field of within) objects.get(field.column)?.set(field.keys.join('.'), field);
    return { objects, named: new Set(columns.map((column) => column.name)) };
  }

  private shapeIn(group: Node, scope: Scope): Shape {
    const known = this.known.get(group);
    if (known) return known;
    const nodes = group.kind === 'group' ? group.nodes : [];
    const shape = isQuery(nodes) ? this.shapeOf(nodes, scope) : UNKNOWN;
    this.known.set(group, shape);
    return shape;
  }

  /** The shape of the rows of a query. */
  private shapeOf(nodes: Nodes, outer: Scope): Shape {
    const shapes: Shape[] = [];
    let begun = 0;
    for (let at = 0; at <= nodes.length; at += 1) {
      if (at < nodes.length && !isSetOperator(nodes, at)) continue;
      shapes.push(this.shapeOfSelect(nodes.slice(begun, at), outer));
      begun = behindOperator(nodes, at);
    }
    return shapes.reduce(common);
  }

  private shapeOfSelect(nodes: Nodes, outer: Scope): Shape {
    const [first] = nodes;
    if (isList(first)) return this.shapeIn(first, outer);
    const clauses = clausesOf(nodes);
    const scope = this.scopeOf(nodes, clauses, outer);
    const list = bodyOf(nodes, clauses, 'SELECT');
    const objects = new Map<string, Within>();
    const named = new Set<string>();
    for (const item of itemsOf(isWord(list[0], 'DISTINCT') ? list.slice(1) : list)) {
      const as = item.length > 2 && isWord(item.at(-2), 'AS') ? nameOf(item.at(-1)) : undefined;
      const value = as === undefined ? item : item.slice(0, -2);
      const star = value.findIndex((node) => isSymbol(node, '*') || isWord(node, 'COLUMNS'));
      if (star === 0 || (star > 0 && isSymbol(value[star - 1], '.'))) {
        const left = new Set(allNames(value.slice(star + 1)));
        const isLess = ['EXCEPT', 'EXCLUDE'].some((word) => isWord(value[star + 1], word));
        const of = star === 0 ? undefined : nameOf(value[0]);
        for (const { name, shape } of scope.sources) {
          if (of !== undefined && name !== of) continue;
          for (const [column, within] of shape.objects)
            if (!left.has(column)) objects.set(nameBeside(named, column, name), within);
          this.lookups.add(shape.named.size);
          for (const each of shape.named) if (!isLess || !left.has(each)) named.add(each);
        }
        continue;
      }
      const path = pathOf(value);
      const found = path && fieldOf(scope, path);
      const own = found?.name ?? path?.at(-1);
      const name = as ?? (own && nameBeside(named, own, found?.table));
      if (name === undefined) continue;
      named.add(name);
      if (found && found.keys.length === 0) objects.set(name, found.within);
    }
    return { objects, named };
  }
}

/** A column can only be a short prefix of a path, however long the path is. */
const COLUMN_NAME_MAX = 1024;
const HOLDS_OBJECTS = /^(?:Nullable\()?(?:JSON|Tuple\()/;

/** The name of a column that several tables have is that of the first one's. */
const nameBeside = (named: ReadonlySet<string>, column: string, table = ''): string =>
  named.has(column) ? `${table}.${column}` : column;

function bodyOf(nodes: Nodes, clauses: readonly Clause[], word: Clause['word']): Nodes {
  const clause = clauses.find((each) => each.word === word);
  return clause ? nodes.slice(clause.from, clause.to) : [];
}

function beginsTable(from: Nodes, at: number): boolean {
  const [node, before] = [from[at], from[at - 1]];
  if (node?.kind === 'symbol' || node?.kind === 'text') return false;
  const isJoined = isWord(before, 'JOIN') && !isWord(from[at - 2], 'ARRAY');
  return at === 0 || isSymbol(before, ',') || isJoined;
}

/** Keeps the names that have the same meaning in both shapes, at the same places. */
function common(one: Shape, other: Shape): Shape {
  const objects = new Map<string, Within>();
  const [names, others] = [[...one.named], [...other.named]];
  if (names.some((name, at) => name !== others[at])) return { objects, named: one.named };
  for (const [name, within] of one.objects) {
    const same = [...within].filter(([path, field]) => {
      const too = other.objects.get(name)?.get(path);
      return too !== undefined && (too === field || too.write('k') === field.write('k'));
    });
    objects.set(name, new Map(same));
  }
  return { objects, named: one.named };
}

const allNames = (nodes: Nodes): readonly string[] =>
  nodes.flatMap((node) => (node.kind === 'group' ? allNames(node.nodes) : [node.value]));

/** The prefix of a name that is a column of objects, or leads into one. */
export interface Found {
  /** The name without the table's name. */
  readonly name: string;
  /** The table's name, if it stands before the column. */
  readonly table: string | undefined;
  readonly column: string;
  readonly keys: readonly string[];
  readonly within: Within;
  /** It exists if the type of the value is known. */
  readonly field: FieldWithin | undefined;
}

/** @returns undefined if it is a column of its own, or unknown. @throws {MillraceError} INVALID_SQL */
export function fieldOf(scope: Scope, path: readonly string[]): Found | undefined {
  const [table = '', ...rest] = path;
  if (scope.elements.has(table)) return undefined;
  const [name, behind] = [path.join('.'), rest.join('.')];
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    const { sources } = at;
    scope.lookups?.add((1 + sources.length) * path.length);
    if (sources.some(({ shape }) => isOwnColumn(shape, name))) return undefined;
    const found = first(sources, ({ shape }) => inShape(shape, name, path));
    if (found) return found;
    const named = sources.filter((source) => source.name === table && rest.length > 0);
    if (named.some(({ shape }) => isOwnColumn(shape, behind))) return undefined;
    const qualified = first(named, ({ shape }) => inShape(shape, behind, rest));
    if (qualified) return { ...qualified, table };
  }
  return undefined;
}

const isOwnColumn = ({ objects, named }: Shape, name: string): boolean =>
  named.has(name) && !objects.has(name);

/** @param name all `names`, with dots between them */
function inShape({ objects }: Shape, name: string, names: readonly string[]): Found | undefined {
  if (objects.size === 0) return undefined;
  for (let end = name.indexOf('.'); ; end = name.indexOf('.', end + 1)) {
    const column = end === -1 ? name : name.slice(0, end);
    if (column.length > COLUMN_NAME_MAX) return undefined;
    const within = objects.get(column);
    if (within) {
      const path = name.slice(column.length + 1);
      const field = within.get(path);
      const keys = keysBehind(column, names);
      if (!keys && !field) return undefined;
      return {
        name,
        table: undefined,
        column,
        keys: certain(field?.keys ?? keys, 'keys of a field'),
        within,
        field,
      };
    }
    if (end === -1) return undefined;
  }
}

/**
 * Gives the names after those that form the column's name; undefined if the column's name ends
 * within one of them.
 */
function keysBehind(column: string, names: readonly string[]): readonly string[] | undefined {
  let length = -1;
  const own = names.findIndex((name) => (length += name.length + 1) >= column.length);
  return length === column.length ? names.slice(own + 1) : undefined;
}

function first<T, R>(list: readonly T[], find: (each: T) => R | undefined): R | undefined {
  for (const each of list) {
    const found = find(each);
    if (found !== undefined) return found;
  }
  return undefined;
}
