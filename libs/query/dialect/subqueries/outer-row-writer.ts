import { quoteIdentifier } from '@app/warehouse';
import type { Surroundings } from '../standard-sql.js';
import { elementNames } from '../queries/element-names.js';
import { ObjectShapes, type Scope } from '../queries/object-shapes.js';
import { behindOperator, clausesOf, isSetOperator, type Clause } from '../queries/select-clauses.js'; // prettier-ignore
import { endOf, isList, isQuery, isWord, itemsOf, nameOf, startOf, type Group, type Node, type Nodes } from '../source-tree.js'; // prettier-ignore
import { WrittenLength } from '../written-length.js';
import { isNeverNull, isNullable, isSameType, nullOf } from './null-values.js';
import { conditionsOf } from './null-rejection.js';
import { isWithin, outerColumns, type HasSameType, type OuterColumn } from './outer-columns.js';
import {
  checkColumns,
  checkDerived,
  checkSteady,
  columnOf,
  hasQuery,
  isPlain,
  notByEquality,
  selectIn,
  subsetsOf,
  NOTHING,
  type DistinctRows,
  type Replacements,
  type Variant,
} from './outer-subqueries.js';
import { isAggregated } from './sums-of-nothing.js';

export type Tables = Pick<Surroundings, 'typeOfColumn' | 'table'>;

export const isSelect = (node?: Node) => isWord(node, 'SELECT') || isWord(node, 'WITH');

/** A statement with one of these has nulls in columns without nulls. */
const OUTER_ROWS = /\b(?:LEFT|RIGHT|FULL|ROLLUP|CUBE|SETS)\b/;

/** Writes a statement with its subqueries rewritten: see `outer-rows.ts`. */
export class OuterRowWriter {
  private readonly shapes: ObjectShapes;
  private readonly length: WrittenLength;
  private readonly columns = new WeakMap<Group, readonly OuterColumn[]>();
  /** The clauses of the SELECT of each scope. */
  private readonly clauses = new WeakMap<Scope, ReadonlyMap<Clause['word'], Nodes>>();
  /** The tables that are added to a SELECT while it is written, by its first node. */
  private readonly joined = new Map<Node, DistinctRows>();
  /** The SELECT whose list is written, if it has a WHERE. */
  private listed: Scope | undefined;

  constructor(
    private readonly source: string,
    statement: Nodes,
    private readonly surroundings: Tables,
  ) {
    this.shapes = new ObjectShapes(surroundings.table, elementNames(statement));
    this.length = new WrittenLength(source.length);
  }

  /** Writes one SELECT, or several that are combined. */
  write(nodes: Nodes, outer: Scope, replaced = NOTHING): string {
    let written = '';
    let begun = 0;
    for (let at = 0; at <= nodes.length; at += 1) {
      if (at < nodes.length && !isSetOperator(nodes, at)) continue;
      const select = nodes.slice(begun, at);
      written += this.select(select, outer, replaced);
      begun = behindOperator(nodes, at);
      written += this.source.slice(endOf(select), nodes[begun]?.start ?? endOf(select));
    }
    return written;
  }

  private select(nodes: Nodes, outer: Scope, replaced: Replacements): string {
    const [first] = nodes;
    if (isList(first)) {
      const behind = nodes.slice(1);
      return (
        this.group(first, outer, replaced) +
        this.source.slice(first.end, behind[0]?.start ?? first.end) +
        this.pieces(behind, outer, replaced)
      );
    }
    const clauses = clausesOf(nodes);
    const scope = this.shapes.scopeOf(nodes, clauses, outer);
    const bodies = clauses.map(({ word, from, to }) => [word, nodes.slice(from, to)] as const);
    this.clauses.set(scope, new Map(bodies));
    const joined = first && this.joined.get(first);
    let written = this.source.slice(startOf(nodes), nodes[clauses[0]?.at ?? 0]?.start);
    for (const { word, at, from, to } of clauses) {
      const body = nodes.slice(from, to);
      const isTable = word === 'FROM' || word === 'WITH';
      const within = isTable ? { ...scope, sources: [], outer } : scope;
      written += this.source.slice(nodes[at]?.start, startOf(body));
      const own =
        word === 'SELECT' ? this.items(body, scope, replaced) : this.pieces(body, within, replaced);
      if (joined && word === 'FROM') {
        written += `${own} CROSS JOIN ${joined.table}`;
        if (!bodies.some(([each]) => each === 'WHERE')) written += ` WHERE ${joined.condition}`;
      } else if (joined && word === 'WHERE') written += `(${own}) AND ${joined.condition}`;
      else written += own;
      written += this.source.slice(endOf(body), nodes[to]?.start ?? endOf(body));
    }
    return written;
  }

  /** An item without a name keeps the one that its text gave it. */
  private items(body: Nodes, scope: Scope, replaced: Replacements): string {
    const around = this.listed;
    this.listed = this.clauses.get(scope)?.has('WHERE') ? scope : undefined;
    let written = '';
    let from = startOf(body);
    for (const item of itemsOf(body)) {
      const text = this.source.slice(startOf(item), endOf(item));
      const own = this.pieces(item, scope, replaced);
      const isNamed = isWord(item.at(-2), 'AS') || own === text;
      written += this.source.slice(from, startOf(item)) + own;
      if (!isNamed) written += ` AS ${quoteIdentifier(text.replace(/^DISTINCT /, ''))}`;
      from = endOf(item);
    }
    this.listed = around;
    return written;
  }

  /**
   * The engine forgets a column that only a subquery of the SELECT list names, where rows are chosen
   * by WHERE. So the subquery is written with its columns beside it.
   */
  private beside(written: string, group: Group, scope: Scope): string {
    const columns = this.listed === scope ? this.columnsOf(group, scope) : [];
    const texts = new Set(columns.map((column) => this.nameOf(column)));
    return texts.size === 0 ? written : `tupleElement(tuple(${[written, ...texts].join(', ')}), 1)`;
  }

  private pieces(nodes: Nodes, scope: Scope, replaced: Replacements): string {
    let written = '';
    let from = startOf(nodes);
    for (let at = 0; at < nodes.length; at += 1) {
      this.length.node();
      const node = nodes[at] as Node;
      const next = nodes[at + 1];
      const instead = replaced.get(node);
      written += this.source.slice(from, node.start);
      if (instead) {
        written += this.length.add(instead.text);
        at += instead.length - 1;
      } else if (/^exists$/i.test(node.text) && isList(next)) {
        const exists = this.exists(node, next, scope, replaced);
        const kept = this.beside(exists, next, scope);
        written += kept === exists ? exists : `CAST(${kept}, 'Bool')`;
        at += 1;
      } else if (node.kind === 'group') {
        const isValue =
          isQuery(node.nodes) && isSelect(node.nodes[0]) && !isWord(nodes[at - 1], 'IN');
        written += isValue
          ? this.beside(this.value(node, scope, replaced), node, scope)
          : this.group(node, scope, replaced);
      } else written += this.source.slice(node.start, node.end);
      from = (nodes[at] as Node).end;
    }
    return written;
  }

  private group(group: Group, scope: Scope, replaced: Replacements): string {
    const { nodes, start, end } = group;
    if (nodes.length === 0) return this.source.slice(start, end);
    const inner = isQuery(nodes)
      ? this.write(nodes, scope, replaced)
      : this.pieces(nodes, scope, replaced);
    return this.source.slice(start, startOf(nodes)) + inner + this.source.slice(endOf(nodes), end);
  }

  private exists(word: Node, group: Group, scope: Scope, replaced: Replacements): string {
    const before = this.source.slice(word.start, group.start);
    const variants = this.variants(group, scope, replaced);
    if (variants.length === 0) return before + this.asked(group, scope, replaced, true);
    const written = (more: Replacements): string =>
      this.length.add(before + this.asked(group, scope, new Map([...replaced, ...more]), true));
    const asked = variants.map(({ condition, nulls }) => `(${condition} AND ${written(nulls)})`);
    return `(${[...asked, written(NOTHING)].join(' OR ')})`;
  }

  private value(group: Group, scope: Scope, replaced: Replacements): string {
    const variants = this.variants(group, scope, replaced);
    if (variants.length === 0) return this.asked(group, scope, replaced);
    const written = (more: Replacements): string =>
      this.length.add(this.asked(group, scope, new Map([...replaced, ...more])));
    return variants.reduceRight(
      (otherwise, { condition, nulls }) => `if(${condition}, ${written(nulls)}, ${otherwise})`,
      written(NOTHING),
    );
  }

  /**
   * Writes a subquery of aggregates that looks at the outer row otherwise than by `own = outer`. The
   * engine takes its rows once for each outer row with the same values, so that a count is too
   * large. It is given these values once each, as one more table, and then looks by `=` alone.
   */
  private asked(group: Group, scope: Scope, replaced: Replacements, isExists = false): string {
    const columns = this.columnsOf(group, scope).filter(
      ({ node, isLinked }) => !isLinked && !replaced.has(node),
    );
    const select = selectIn(group.nodes);
    const [first] = select;
    const around = this.clauses.get(scope);
    const clauses = clausesOf(select);
    const isOfGroups = clauses.some(
      ({ word, from, to }) =>
        word === 'GROUP' ||
        (/^(?:SELECT|HAVING)$/.test(word) && isAggregated(select.slice(from, to))),
    );
    if (this.columnsOf(group, scope).some(({ isDeep }) => isDeep)) checkDerived(select, isExists);
    if (columns.length === 0 || !first || !around || !isOfGroups)
      return this.group(group, scope, replaced);
    if (columns.some(({ isDeep }) => isDeep) || !isPlain(clauses)) throw notByEquality();
    const paths = [...new Set(columns.map(({ path }) => path.join('.')))];
    const [table, name] = [`outer_rows_${group.start}`, `outer_${group.start}`];
    const texts = paths.map((path) => this.nameOf(columnOf(columns, path)));
    const own = columns.map(
      ({ node, length, path }) =>
        [node, { text: `${table}.${name}_${paths.indexOf(path.join('.'))}`, length }] as const,
    );
    const items = texts.map((text, at) => `${text} AS ${name}_${at}`).join(', ');
    this.joined.set(first, {
      table: this.length.add(
        `(SELECT DISTINCT ${items} ${this.rowsOf(around, scope)}) AS ${table}`,
      ),
      condition: texts.map((text, at) => `(${table}.${name}_${at} = ${text})`).join(' AND '),
    });
    const written = this.group(group, scope, new Map([...replaced, ...own]));
    this.joined.delete(first);
    return written;
  }

  /** FROM of a SELECT, with the conditions that concern its tables alone. */
  private rowsOf(clauses: ReadonlyMap<Clause['word'], Nodes>, scope: Scope): string {
    const from = clauses.get('FROM') ?? [];
    const text = this.pieces(from, { ...scope, sources: [], outer: scope.outer }, NOTHING);
    const where = conditionsOf(clauses.get('WHERE') ?? [])
      .filter((each) => isWithin(each, scope))
      .map((each) => `(${this.source.slice(startOf(each), endOf(each))})`);
    const isNamed = from.some((node) => scope.queries.has(nameOf(node) ?? ''));
    checkSteady([text, ...where, isNamed ? this.source.slice(0, startOf(from)) : ''].join(' '));
    return `FROM ${text}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}`;
  }

  /** The subquery with NULL in the place of columns, those with the most first. */
  private variants(group: Group, scope: Scope, replaced: Replacements): readonly Variant[] {
    const columns = this.columnsOf(group, scope)
      .filter(({ node, isRejected }) => !replaced.has(node) && !isRejected)
      .filter(({ path }) => this.mayBeNull(scope, path));
    const paths = [...new Set(columns.map(({ path }) => path.join('.')))];
    checkColumns(paths.length);
    return subsetsOf(paths).map((chosen) => {
      const nulls = columns.filter(({ path }) => chosen.includes(path.join('.')));
      const names = chosen.map((path) => `isNull(${this.nameOf(columnOf(nulls, path))})`);
      return {
        condition: names.join(' AND '),
        nulls: new Map(
          nulls.map(({ node, length, path }) => {
            const type = this.isOfQueries(scope) ? undefined : this.typeOf(path);
            return [node, { text: nullOf(type), length }];
          }),
        ),
      };
    });
  }

  private nameOf({ node, end }: OuterColumn): string {
    return this.source.slice(node.start, end);
  }

  private columnsOf(group: Group, scope: Scope): readonly OuterColumn[] {
    const known = this.columns.get(group);
    if (known) return known;
    const isLinked: HasSameType = (one, other, from) =>
      isSameType(this.typeOf(one), this.typeOf(other)) && !this.isOfQueries(scope, from);
    const list = this.clauses.get(scope)?.get('SELECT') ?? [];
    const found = outerColumns(group.nodes, scope, this.shapes, isLinked, list);
    this.columns.set(group, found);
    return found;
  }

  /** The types of columns that queries in FROM or WITH have are not known by their names. */
  private isOfQueries(scope: Scope, inner: Nodes = []): boolean {
    const outer = this.clauses.get(scope)?.get('FROM') ?? [];
    return [...outer, ...inner].some(
      (node) => hasQuery(node) || scope.queries.has(nameOf(node) ?? ''),
    );
  }

  private mayBeNull(scope: Scope, path: readonly string[]): boolean {
    if (this.isOfQueries(scope)) return true;
    const type = this.typeOf(path);
    return !isNeverNull(type) && (OUTER_ROWS.test(this.source) || isNullable(type));
  }

  private typeOf(path: readonly string[]): string | undefined {
    return path.slice(-1).map((name) => this.surroundings.typeOfColumn(name))[0];
  }
}
