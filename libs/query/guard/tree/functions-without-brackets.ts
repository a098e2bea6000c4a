import {
  aliasIn,
  expressionIn,
  functionIn,
  isTablePlace,
  nameIn,
  nodesOf,
  pathTo,
  type PrintNode,
} from './print-nodes.js';
import { GivenColumns, section, tablesOf, type HasColumn } from './given-columns.js';

/** Functions without brackets that would reveal the name of the organization's database or user. */
const WORDS = /^(?:database|schema|user|currentuser|current_user|session_user)$/i;
const MAY_HAVE_WORDS =
  /identifier: (?:database|schema|user|currentuser|current_user|session_user)(?:,|$)/im;
const JOINS = /^(?:CROSS |ARRAY_)?JOIN$/;
const CONDITION_OF_JOIN = /^JOIN EXPRESSIONS?$/;
/** Nodes that are no values. The engine passes over their names where it wants a value. */
const NO_VALUES = /^(?:LAMBDA|WINDOW)$/;
/** The engine reads these sections only where another one names something in them. */
const UNREAD = /^(?:WITH|WINDOW)$/;
const IN_FUNCTIONS = /^(?:global)?(?:not)?(?:null)?in(?:ignoreset)?$/i;

/**
 * Finds the names that the engine takes for functions of the session. It does so where no column,
 * alias or parameter with the name is in reach. So this follows the engine's way to a name: the
 * aliases of its own query, the tables of its FROM, and then the queries around it.
 */
export class SessionFunctions {
  private readonly uses: readonly PrintNode[];
  private readonly given: GivenColumns;
  /** The aliases of each query, with what they stand for. */
  private readonly aliases = new Map<PrintNode, Map<string, PrintNode[]>>();
  /** The names of functions, windows and common table expressions. */
  private readonly others = new Set<string>();
  /** The names behind the aliases of each query, and in the conditions of its joins. */
  private readonly reachedBy = new Map<PrintNode, Map<string, ReadonlySet<string>>>();
  private readonly reachedByJoins = new Map<PrintNode, readonly ReachedByJoin[]>();

  private constructor(nodes: readonly PrintNode[], printable: string, loose: ReadonlySet<string>) {
    this.uses = nodes.filter(
      (node) => isUse(node) && WORDS.test(nameIn(node)?.[0] ?? '') && nameIn(node)?.length === 1,
    );
    this.given = new GivenColumns(nodes, printable, loose);
    for (const node of nodes) this.declare(node);
  }

  /**
   * @param printable see `spell-out.ts`
   * @param loose names of expressions that the engine may take for tables
   * @returns undefined if the statement has no such name at all
   */
  static in(
    print: string,
    printable: string,
    loose: ReadonlySet<string>,
  ): SessionFunctions | undefined {
    return MAY_HAVE_WORDS.test(print)
      ? new SessionFunctions(nodesOf(print), printable, loose)
      : undefined;
  }

  /** @returns the first name that may be such a function. */
  first(hasColumn: HasColumn): string | undefined {
    const gives = this.given.of(hasColumn);
    const caller = { gives, values: new Map<PrintNode, boolean>() };
    const found = this.uses.find((use) => !this.isColumn(use, caller));
    return found && nameIn(found)?.[0];
  }

  private declare(node: PrintNode): void {
    const alias = aliasIn(node);
    const other = NO_VALUES.test(node.label) ? alias : expressionIn(node);
    if (other !== undefined) this.others.add(other);
    if (alias === undefined || isTablePlace(node) || NO_VALUES.test(node.label)) return;
    const path = pathTo(node).slice(0, -1);
    const at = path.findLastIndex(({ label }) => label === 'QUERY');
    const between = path.slice(at + 1).map(({ label }) => label);
    const query = path[at];
    // A name given within a parameter's function is in reach only there.
    if (!query || between.includes('LAMBDA') || between[0] === 'INTERPOLATE') return;
    if (between[0] === 'JOIN TREE' && !between.includes('JOIN EXPRESSIONS')) return;
    const aliases = this.aliases.get(query) ?? new Map<string, PrintNode[]>();
    this.aliases.set(query, aliases.set(alias, [...(aliases.get(alias) ?? []), node]));
  }

  private isColumn(use: PrintNode, caller: Caller): boolean {
    const { gives } = caller;
    const name = nameIn(use)?.[0] ?? '';
    const path = pathTo(use);
    let inner = path.length - 1;
    for (let at = inner - 1; at >= 0; at -= 1) {
      const node = path[at] as PrintNode;
      const isInnermost = inner === path.length - 1;
      if (node.label === 'LAMBDA') {
        if (isInnermost && parametersOf(node).includes(name)) return true;
        // The engine reads the function's text again at each call, in any query.
        if (aliasIn(node) !== undefined) return false;
      }
      if (node.label !== 'QUERY') {
        if (expressionIn(node) !== undefined) return false;
        continue;
      }
      const between = path.slice(at + 1, inner + 1);
      const [place] = between;
      if (place?.label === 'INTERPOLATE') return false;
      if (place?.label === 'JOIN TREE') {
        const join = joinAround(between);
        if (!join) return false;
        if (gives(join, name)) return true;
      } else {
        const isAlias = this.isAlias(name, node, path.slice(0, at), caller);
        if (isAlias || this.isGiven(name, node, between, gives)) return true;
      }
      if (expressionIn(node) !== undefined) return false;
      inner = at;
    }
    return false;
  }

  /** Tells whether a value has the name as its alias, and does not lead back to the name itself. */
  private isAlias(
    name: string,
    query: PrintNode,
    around: readonly PrintNode[],
    caller: Caller,
  ): boolean {
    const scopes = [query, ...around];
    const stands = this.aliases.get(query)?.get(name);
    if (stands === undefined) return false;
    const known = this.reachedBy.get(query) ?? new Map<string, ReadonlySet<string>>();
    const reached = known.get(name) ?? this.reached(stands, scopes);
    this.reachedBy.set(query, known.set(name, reached));
    return !reached.has(name) && stands.every((node) => this.isValue(node, scopes, caller));
  }

  /** The engine passes over an alias of a name that is no value, and calls the function. */
  private isValue(node: PrintNode, scopes: readonly PrintNode[], caller: Caller): boolean {
    const [name, ...more] = nameIn(node) ?? [];
    if (name === undefined) return true;
    const known = caller.values.get(node);
    if (known !== undefined) return known;
    const path = pathTo(node);
    const at = path.findLastIndex(({ label }) => label === 'QUERY');
    const isRead = !UNREAD.test(path[at + 1]?.label ?? '');
    // Aliases that lead back to one another are no values.
    caller.values.set(node, false);
    const stands = scopes
      .flatMap((scope) => this.aliases.get(scope)?.get(name) ?? [])
      .filter((each) => each !== node);
    const isGiven = (): boolean =>
      tablesOf(path[at] as PrintNode).some((table) => caller.gives(table, name));
    const isOne = more.length === 0;
    const answer =
      !isOperandOfIn(node) &&
      !(isOne && this.others.has(name)) &&
      (isOne && stands.length > 0
        ? stands.every((each) => this.isValue(each, scopes, caller))
        : isRead || (isOne && isGiven()));
    caller.values.set(node, answer);
    return answer;
  }

  private isGiven(
    name: string,
    query: PrintNode,
    between: readonly PrintNode[],
    gives: Gives,
  ): boolean {
    if (!tablesOf(query).some((table) => gives(table, name))) return false;
    const aliases = new Set(between.flatMap((node) => aliasIn(node) ?? []));
    if (aliases.size === 0) return true;
    // A join may read the alias, and it sees its own tables only.
    return this.joinsOf(query).every(
      ({ join, reached }) => ![...aliases].some((alias) => reached.has(alias)) || gives(join, name),
    );
  }

  private joinsOf(query: PrintNode): readonly ReachedByJoin[] {
    const known = this.reachedByJoins.get(query);
    if (known) return known;
    const joins = joinsBelow(query).map((join) => ({
      join,
      reached: this.reached(join.children.filter(isCondition), [query]),
    }));
    this.reachedByJoins.set(query, joins);
    return joins;
  }

  /** All names that nodes have in them, also behind aliases. */
  private reached(nodes: readonly PrintNode[], scopes: readonly PrintNode[]): ReadonlySet<string> {
    const reached = new Set<string>();
    const open = [...nodes];
    for (let node = open.pop(); node; node = open.pop()) {
      open.push(...node.children);
      const name = nameIn(node)?.[0] ?? functionIn(node);
      if (name === undefined || reached.has(name)) continue;
      reached.add(name);
      for (const scope of scopes) open.push(...(this.aliases.get(scope)?.get(name) ?? []));
    }
    return reached;
  }
}

type Gives = (place: PrintNode, column: string) => boolean;

interface Caller {
  readonly gives: Gives;
  /** Tells which names that have an alias are values. */
  readonly values: Map<PrintNode, boolean>;
}

interface ReachedByJoin {
  readonly join: PrintNode;
  readonly reached: ReadonlySet<string>;
}

function isUse(node: PrintNode): boolean {
  const [section, list] = [node.parent?.parent, node.parent];
  const isParameter =
    list?.label === 'LIST' && section?.label === 'ARGUMENTS' && section.parent?.label === 'LAMBDA';
  // A name behind OVER is that of a window, and nothing else.
  const isWindow = list?.label === 'WINDOW' && section?.label === 'FUNCTION';
  return !isParameter && !isWindow && !isTablePlace(node);
}

function isOperandOfIn({ parent }: PrintNode): boolean {
  const call = parent?.parent?.parent;
  return call !== undefined && IN_FUNCTIONS.test(functionIn(call) ?? '');
}

function parametersOf(lambda: PrintNode): readonly string[] {
  const list = section(lambda, 'ARGUMENTS')?.children[0];
  return list?.children.flatMap((node) => nameIn(node) ?? []) ?? [];
}

/** The join in whose condition a name stands. @param path from below the query */
function joinAround(path: readonly PrintNode[]): PrintNode | undefined {
  const at = path.findLastIndex(({ label }) => JOINS.test(label));
  const isWithin = CONDITION_OF_JOIN.test(path[at + 1]?.label ?? '');
  return isWithin ? path[at] : undefined;
}

/** `USING` has a list of columns in the place of a condition, which reads no alias. */
const isCondition = ({ label, children: [first] }: PrintNode): boolean =>
  label === 'JOIN EXPRESSIONS' || (label === 'JOIN EXPRESSION' && first?.label !== 'LIST');

function joinsBelow(query: PrintNode): readonly PrintNode[] {
  const joins = tablesOf(query).filter(({ label }) => JOINS.test(label));
  return joins.flatMap((join) => [join, ...joinsBelow(join)]);
}
