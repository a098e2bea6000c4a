import type { TableDescription } from '../../catalog.js';
import { fillAt, filledTimes, keyOf } from '../clauses/filled-times.js';
import { bridgesOf } from './common-columns.js';
import { Expressions, type Writing } from '../expressions.js';
import { ObjectShapes, OUTERMOST, type Scope } from './object-shapes.js';
import { checkNaturalJoin } from './natural-joins.js';
import { withEmptySet } from '../grouping/empty-sets.js';
import { clausesOf, isSetOperator, type Clause } from './select-clauses.js';
import {
  besideOthers,
  isMany,
  isSingle,
  listOf,
  quantifierLength,
  quantifierOf,
  selectItems,
  valueOf,
  type Bridges,
  type SelectItem,
} from './select-items.js';
import {
  findSumsOfNothing,
  isOneRow,
  listedOfNothing,
  type Aggregated,
} from '../subqueries/sums-of-nothing.js';
import { findFilters } from '../subqueries/rows-of-membership.js';
import { listOfValue } from '../subqueries/listed-values.js';
import {
  endOf,
  isSymbol,
  isWord,
  itemsOf,
  startOf,
  type Node,
  type Nodes,
} from '../source-tree.js';
import { keysOf, namesOf, outputOf, type Keys, type Output } from '../names/output-names.js';
import { findSessionWords } from '../names/session-words.js';
import { hiddenTables } from '../names/hidden-tables.js';
import type { ValueTypes } from '../casts/value-types.js';
import { isOfTables, tablesOf } from '../names/table-names.js';
import { NO_KEYS, seesGroups, zeroKeys, type ZeroKeys } from '../numbers/zero-keys.js';
import { WrittenLength } from '../written-length.js';

interface Dependencies extends Omit<Writing, 'writeQuery' | 'select'> {
  /** Finds a table of the caller's organization by its name. */
  readonly table: (name: string) => TableDescription | undefined;
  /** See `element-names.ts`. */
  readonly elements: ReadonlySet<string>;
  /** See `hidden-tables.ts`. */
  readonly qualifiers: ReadonlySet<string>;
}

/** Writes statements in the engine's SQL, clause by clause. */
export class Queries {
  private readonly expressions: Expressions;
  private readonly source: string;
  private readonly types: ValueTypes;
  private readonly shapes: ObjectShapes;
  /** Counts the text of expressions that replace names in ORDER BY. */
  private readonly length: WrittenLength;
  /** The scope of the current SELECT. */
  private scope: Scope = OUTERMOST;

  private readonly qualifiers: ReadonlySet<string>;
  private readonly elements: ReadonlySet<string>;
  /** See `zero-keys.ts`. */
  private keys: ZeroKeys = NO_KEYS;

  constructor({ table, elements, qualifiers, ...writing }: Dependencies) {
    this.qualifiers = qualifiers;
    this.elements = elements;
    this.source = writing.source;
    this.types = writing.types;
    this.length = new WrittenLength(this.source.length);
    this.shapes = new ObjectShapes(table, elements);
    this.expressions = new Expressions({
      ...writing,
      writeQuery: (nodes) => this.write(nodes),
      select: () => ({ scope: this.scope, zeroKeys: this.keys }),
    });
  }

  /** Writes one SELECT, or several that are combined. */
  write(nodes: Nodes): string {
    const lists: Nodes[] = [];
    let begun = 0;
    let isMember = false;
    for (let at = 0; at < nodes.length; at += 1) {
      if (!isSetOperator(nodes, at)) continue;
      isMember ||= !(isWord(nodes[at], 'UNION') && isWord(nodes[at + 1], 'ALL'));
      lists.push(nodes.slice(begun, at));
      begun = at + 1;
      while (isWord(nodes[begun], 'ALL') || isWord(nodes[begun], 'DISTINCT')) begun += 1;
    }
    lists.push(nodes.slice(begun));
    const selects = lists.filter((select) => select.length > 0);
    const bridges = selects.length > 1 ? this.bridges(selects) : [];
    let written = '';
    let from = startOf(nodes);
    for (const [at, select] of selects.entries()) {
      written +=
        this.source.slice(from, startOf(select)) + this.select(select, bridges[at], isMember);
      from = endOf(select);
    }
    return written;
  }

  /** For each SELECT, the types to which its columns are cast beside those of the others. */
  private bridges(selects: readonly Nodes[]): readonly Bridges[] {
    const lists = selects.map((select) => {
      const [first] = select;
      const nodes = first?.kind === 'group' && select.length === 1 ? first.nodes : select;
      return { nodes, items: listOf(nodes).map(valueOf) };
    });
    const [length = 0] = lists.map(({ items }) => items.length);
    if (length === 0 || lists.some(({ items }) => items.length !== length || items.some(isMany)))
      return [];
    const types = lists.map(({ nodes, items }) => {
      const scope = (): Scope => this.shapes.scopeOf(nodes, clausesOf(nodes), this.scope);
      const read = () => items.map((item) => this.types.ofChoice(item));
      return this.types.within(() => isOfTables(scope()), read);
    });
    const columns = Array.from({ length }, (_, column) =>
      bridgesOf(types.map((list) => list[column])),
    );
    return selects.map((_, select) => columns.map((column) => column[select]));
  }

  private select(nodes: Nodes, bridges: Bridges = [], isMember = false): string {
    const clauses = clausesOf(nodes);
    const list = clauses.find(({ word }) => word === 'SELECT');
    const [first] = nodes;
    if (!list)
      return first?.kind === 'group' && nodes.length === 1
        ? `(${isSingle(first.nodes) ? this.select(first.nodes, bridges, isMember) : this.write(first.nodes)})`
        : this.source.slice(startOf(nodes), endOf(nodes));
    const [outer, outerKeys] = [this.scope, this.keys];
    this.scope = this.shapes.scopeOf(nodes, clauses, outer);
    const { source, types, elements, scope } = this;
    const select = { source, types, elements, tables: tablesOf(nodes, clauses), isMember };
    try {
      return types.within(
        () => isOfTables(scope),
        () => {
          const keys = zeroKeys(nodes, clauses, select);
          return this.clauses(nodes, clauses, list, { bridges, keys, tables: select.tables });
        },
      );
    } finally {
      this.scope = outer;
      this.keys = outerKeys;
    }
  }

  private clauses(
    nodes: Nodes,
    clauses: readonly Clause[],
    list: Clause,
    { bridges, keys, tables }: Known,
  ): string {
    this.keys = keys;
    for (const { word, from, to } of clauses) {
      findSessionWords(nodes.slice(from, to), word === 'FROM', this.types);
      if (OF_ROWS.test(word)) findFilters(nodes.slice(from, to));
      if (OF_VALUES.test(word)) findSumsOfNothing(nodes.slice(from, to));
    }
    const listed = listedOfNothing(nodes[0]);
    const items = listed
      ? [this.listed(listed)]
      : besideOthers(this.items(nodes, list, tables), bridges, nodes);
    const names = keysOf(nodes, clauses, items);
    let written = this.source.slice(startOf(nodes), nodes[clauses[0]?.at ?? 0]?.start);
    for (const clause of clauses) {
      if (listed && clause.word === 'HAVING') continue;
      const keyword = this.source.slice(nodes[clause.at]?.start, nodes[clause.from - 1]?.end);
      const isPlain = clause.word === 'SELECT' && isOneRow(nodes[0]);
      const clauseNodes = nodes.slice(clause.from, clause.to);
      const body = isPlain ? clauseNodes.slice(quantifierLength(clauseNodes)) : clauseNodes;
      this.keys = seesGroups(clause.word) ? keys : NO_KEYS;
      const space = written === '' || written.endsWith(' ') ? '' : ' ';
      const own = this.body(clause, body, items, names);
      written += `${space}${keyword} ${withEmptySet(clause, own, nodes, clauses)}`;
    }
    return written;
  }

  private listed(listed: Aggregated): SelectItem {
    const text = listOfValue(listed, (nodes, names) => this.expressions.write(nodes, names));
    return { text, expression: text, name: undefined, isMany: false, isOfTable: false };
  }

  private body(
    { word }: Clause,
    body: Nodes,
    items: readonly SelectItem[],
    { columns, grouped }: Keys,
  ): string {
    switch (word) {
      case 'FROM':
        checkNaturalJoin(body, this.scope.sources);
        return this.from(body);
      case 'SELECT':
        return quantifierOf(body, this.source) + items.map(({ text }) => text).join(', ');
      case 'GROUP':
        return this.expressions.write(body, columns);
      case 'ORDER': {
        const output = outputOf(items, grouped);
        return itemsOf(body)
          .map((item) => this.orderItem(item, output))
          .join(', ');
      }
      case 'HAVING': {
        const names = new Map(namesOf(items));
        for (const name of grouped ?? []) names.delete(name);
        return this.expressions.write(body, names);
      }
      default:
        return this.expressions.write(body);
    }
  }

  private from(body: Nodes): string {
    let written = '';
    let begun = 0;
    for (const at of hiddenTables(body, this.qualifiers)) {
      const { start, end } = body[at] as Node;
      const before = body.slice(begun, at);
      const table = `(SELECT * FROM ${this.source.slice(start, end)})`;
      const behind = this.source.slice(end, body[at + 1]?.start);
      const gap = this.source.slice(endOf(before), before.length === 0 ? 0 : start);
      written += this.expressions.write(before) + gap + table + behind;
      begun = at + 1;
    }
    return written + this.expressions.write(body.slice(begun));
  }

  private items(
    nodes: Nodes,
    { from, to }: Clause,
    tables: ReadonlySet<string>,
  ): readonly SelectItem[] {
    const body = nodes.slice(from, to);
    const items = itemsOf(body.slice(quantifierLength(body)));
    return selectItems(items, tables, this.expressions, this.source);
  }

  /**
   * A name alone is the output's column, by its place. Within an expression a column of the tables
   * comes first, of which the groups have their keys only.
   */
  private orderItem(item: Nodes, output: Output): string {
    const { names, places, within } = output;
    const fill = fillAt(item);
    const key = fill > 0 ? item.slice(0, fill) : item;
    const filled = fill > 0 ? filledTimes(item.slice(fill), this.types.of(keyOf(key)), (nodes) => this.expressions.write(nodes)) : undefined; // prettier-ignore
    if (filled !== undefined) return `${this.orderItem(key, output)} ${filled}`;
    const [first, second] = item;
    const isAlone =
      (first?.kind === 'word' || first?.kind === 'name') &&
      (second === undefined || (second.kind === 'word' && !isSymbol(second, '.')));
    const name = isAlone ? names.get(first.value) : undefined;
    if (!isAlone || name === undefined) return this.expressions.write(item, within);
    const place = places.get(first.value);
    const rest = item.slice(1);
    const tail = rest.length === 0 ? '' : ` ${this.expressions.write(rest)}`;
    if (place !== undefined) return `${String(place)}${tail}`;
    return `${this.length.add(`(${name})`)}${tail}`;
  }
}

/** Clauses in which a subquery is one value, unless it is an operand of IN. */
const OF_VALUES = /^(?:SELECT|PREWHERE|WHERE|HAVING|ORDER)$/;

/** Clauses with conditions that select rows. */
const OF_ROWS = /^(?:FROM|PREWHERE|WHERE|HAVING)$/;

interface Known {
  readonly bridges: Bridges;
  readonly keys: ZeroKeys;
  readonly tables: ReadonlySet<string>;
}
