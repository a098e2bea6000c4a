import { tokenize, type Token } from '../../search/statement-tokens.js';
import { asWritten } from '../spell-out.js';
import {
  aliasIn,
  expressionIn,
  functionIn,
  nameIn,
  TABLE_SECTION,
  type PrintNode,
} from './print-nodes.js';

/** Tells whether a table of the caller has a column. */
export type HasColumn = (table: string, column: string) => boolean;

/** A statement tells this of a name. The print of its tree leaves the lists of columns out. */
interface NameUse {
  /** The lists behind it, as in `(SELECT …) AS t(a, b)` and `WITH t(a, b) AS (…)`. */
  readonly lists: (readonly string[])[];
  /** The number of those lists that certainly rename the columns of a subquery. */
  renamed: number;
  /** The number of things that have this name. */
  things: number;
}

function namesIn(printable: string): ReadonlyMap<string, NameUse> {
  const uses = new Map<string, NameUse>();
  const useOf = ({ value }: Token): NameUse => {
    const use = uses.get(asWritten(value)) ?? { lists: [], renamed: 0, things: 0 };
    uses.set(asWritten(value), use);
    return use;
  };
  const tokens = tokenize(printable);
  const open: number[] = [];
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    if (isAs(before) && !isSymbol(token)) useOf(token).things += 1;
    if (token.text === '(') open.push(at);
    if (token.text !== ')') continue;
    const begin = open.pop() ?? 0;
    const name = tokens[begin - 1];
    const isOfTable = isAs(tokens[begin - 2]);
    const isOfExpression = beginsExpression(tokens, at + 1);
    if (!name || isSymbol(name) || (!isOfTable && !isOfExpression)) continue;
    const use = useOf(name);
    use.lists.push(tokens.slice(begin + 1, at).map(({ value }) => asWritten(value)));
    if (isOfExpression) use.things += 1;
    if (isOfExpression || tokens[begin - 3]?.text === ')') use.renamed += 1;
  }
  for (const [at, token] of tokens.entries())
    if (!isSymbol(token) && beginsExpression(tokens, at + 1)) useOf(token).things += 1;
  return uses;
}

/** `AS (`, `AS MATERIALIZED (` or `AS NOT MATERIALIZED (`. */
function beginsExpression(tokens: readonly Token[], at: number): boolean {
  if (!isAs(tokens[at])) return false;
  const more = tokens.slice(at + 1, at + 4).map(({ text }) => text);
  return /^(?:(?:NOT )?MATERIALIZED )?\(/i.test(more.join(' '));
}

const isSymbol = ({ kind }: Token): boolean => kind !== 'word' && kind !== 'name';
const isAs = (token: Token | undefined): boolean =>
  token?.kind === 'word' && /^AS$/i.test(token.text);

/**
 * Tells which columns the tables of a FROM certainly have. Where it cannot be sure, the answer is
 * no: an author can always put the table's name before the column.
 */
export class GivenColumns {
  private readonly expressions = new Map<string, PrintNode[]>();
  private readonly names: ReadonlyMap<string, NameUse>;

  /**
   * @param nodes of the whole statement
   * @param printable see `spell-out.ts`
   * @param loose names of expressions that the engine may take for tables
   */
  constructor(
    nodes: readonly PrintNode[],
    printable: string,
    private readonly loose: ReadonlySet<string>,
  ) {
    this.names = namesIn(printable);
    for (const node of nodes) {
      const name = expressionIn(node);
      if (name !== undefined)
        this.expressions.set(name, [...(this.expressions.get(name) ?? []), node]);
    }
  }

  /** Reads one caller's tables. */
  of(hasColumn: HasColumn): (place: PrintNode, column: string) => boolean {
    const answers = new Map<string, Map<PrintNode, boolean>>();
    const gives = (place: PrintNode, column: string): boolean => {
      const known = answers.get(column) ?? new Map<PrintNode, boolean>();
      answers.set(column, known);
      const before = known.get(place);
      if (before !== undefined) return before;
      // An expression that reads itself gives nothing by that.
      known.set(place, false);
      const answer = this.look(place, column, { gives, hasColumn });
      known.set(place, answer);
      return answer;
    };
    return gives;
  }

  private look(place: PrintNode, column: string, caller: Caller): boolean {
    switch (place.label) {
      case 'IDENTIFIER':
        return this.isInLists(aliasIn(place), column) && this.ofName(place, column, caller);
      case 'QUERY':
      case 'UNION':
        return this.ofSubquery(place, column, caller);
      default:
        return tablesOf(place).some((table) => caller.gives(table, column));
    }
  }

  private ofName(place: PrintNode, column: string, { gives, hasColumn }: Caller): boolean {
    const [name, ...more] = nameIn(place) ?? [];
    if (name === undefined || more.length > 0) return false;
    const expressions = this.expressions.get(name) ?? [];
    const isTable = expressions.length === 0 || this.loose.has(name);
    return (
      expressions.every((expression) => gives(expression, column)) &&
      (!isTable || hasColumn(name, column))
    );
  }

  private ofSubquery(place: PrintNode, column: string, caller: Caller): boolean {
    const name = expressionIn(place) ?? aliasIn(place);
    if (!this.isInLists(name, column)) return false;
    const { renamed = 0, things = 0 } = this.names.get(name ?? '') ?? {};
    if (renamed > 0 && renamed === things) return true;
    if (place.label === 'UNION') {
      const first = section(place, 'QUERIES')?.children[0]?.children[0];
      return first !== undefined && caller.gives(first, column);
    }
    return itemsOf(place).some((item) => this.isNamed(item, place, column, caller));
  }

  private isInLists(name: string | undefined, column: string): boolean {
    const { lists = [] } = this.names.get(name ?? '') ?? {};
    return lists.every((columns) => columns.includes(column));
  }

  /** Tells whether an item of a SELECT list is, or has, a column with the name. */
  private isNamed(item: PrintNode, query: PrintNode, column: string, caller: Caller): boolean {
    const alias = aliasIn(item);
    if (alias !== undefined) return alias === column && !SEVERAL.test(functionIn(item) ?? '');
    if (item.label === 'MATCHER') return this.isMatched(item, query, column, caller);
    const [first, second, ...more] = nameIn(item) ?? [];
    if (second === undefined) return first === column;
    const [table, ...others] = tablesOf(query);
    // In a join the engine may keep the table's name in the column's.
    if (first === undefined || !table || second !== column || more.length > 0 || others.length > 0)
      return false;
    return caller.gives(table, column) && this.lacks(table, first, caller);
  }

  private isMatched(item: PrintNode, query: PrintNode, column: string, caller: Caller): boolean {
    const [, qualifier] = ASTERISK.exec(item.attributes) ?? [];
    if (!ASTERISK.test(item.attributes)) return false;
    const changes = item.children.flatMap(({ children }) => children);
    if (!changes.every((change) => isKept(change, column))) return false;
    const gives = (table: PrintNode): boolean => caller.gives(table, column);
    if (qualifier === undefined) return leavesOf(query).some(gives);
    // The engine may take a table by its name although it has an alias.
    const name = asWritten(qualifier);
    const meant = leavesOf(query).filter(
      (table) => aliasIn(table) === name || nameIn(table)?.join('.') === name,
    );
    return meant.length > 0 && meant.every(gives);
  }

  /** Tells whether a table certainly has no such column. */
  private lacks(table: PrintNode, column: string, caller: Caller): boolean {
    const [name, ...more] = nameIn(table) ?? [];
    if (name !== undefined)
      return more.length === 0 && !this.expressions.has(name) && !caller.hasColumn(name, column);
    if (table.label !== 'QUERY') return false;
    if (this.names.get(aliasIn(table) ?? '')?.lists.length) return false;
    return itemsOf(table).every((item) => {
      const own = aliasIn(item) ?? nameIn(item)?.at(-1);
      return own !== undefined && own !== column;
    });
  }
}

interface Caller {
  readonly gives: (place: PrintNode, column: string) => boolean;
  readonly hasColumn: HasColumn;
}

/** A function that makes several columns, with other names than its own. */
const SEVERAL = /^untuple$/i;
const ASTERISK = /^matcher_type: ASTERISK(?:, qualified_identifier: ([^,]+))?$/;
const EXCEPT = /^except_transformer_type: COLUMN_LIST, identifiers: (.*)$/;

/** Tells whether a column keeps its name through `EXCEPT (…)` or `REPLACE (…)`. */
function isKept({ label, attributes }: PrintNode, column: string): boolean {
  if (label === 'REPLACE COLUMN TRANSFORMER') return true;
  const [, names] = EXCEPT.exec(attributes) ?? [];
  return names !== undefined && !names.split(', ').map(asWritten).includes(column);
}

export const section = ({ children }: PrintNode, name: string): PrintNode | undefined =>
  children.find(({ label }) => label === name);

const itemsOf = (query: PrintNode): readonly PrintNode[] =>
  section(query, 'PROJECTION')?.children[0]?.children ?? [];

/** The tables of a FROM or of one join in it. */
export function tablesOf(place: PrintNode): readonly PrintNode[] {
  const holders = place.label === 'QUERY' ? [section(place, 'JOIN TREE')] : place.children;
  return holders.flatMap((holder) =>
    holder && TABLE_SECTION.test(holder.label) ? holder.children : [],
  );
}

/** The tables of a FROM, without the joins. */
function leavesOf(place: PrintNode): readonly PrintNode[] {
  return tablesOf(place).flatMap((table) =>
    /^(?:CROSS |ARRAY_)?JOIN$/.test(table.label) ? leavesOf(table) : [table],
  );
}
