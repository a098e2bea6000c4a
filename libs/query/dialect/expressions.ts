import { fieldWithin } from './queries/fields-within.js';
import type { Scope } from './queries/object-shapes.js';
import { combined, type Aggregate } from './functions/aggregate-function.js';
import {
  AGGREGATE_FUNCTIONS,
  aggregateName,
  spelledName,
} from './functions/aggregate-functions.js';
import { binaryOperation } from './numbers/binary-operators.js';
import { besideNumber, type Side } from './numbers/decimal-arithmetic.js';
import { exactSum } from './numbers/exact-sums.js';
import { negation } from './numbers/negations.js';
import { differentValues, writtenAsKey, type ZeroKeys } from './numbers/zero-keys.js';
import { ofChance } from './functions/functions-of-chance.js';
import { filteredArguments } from './functions/filtered-arguments.js';
import type { Known } from './casts/known-type.js';
import { membership, membershipAt, soughtValue, type Membership } from './queries/membership.js';
import { membershipOfRows } from './subqueries/rows-of-membership.js';
import { subqueryOf } from './subqueries/listed-values.js';
import { isListed, valueOfAggregate } from './subqueries/sums-of-nothing.js';
import { clockOf } from './names/session-words.js';
import { jsonArguments, jsonField } from './json/json-fields.js';
import { behindBinary, callAt, signedOperandEnd, type Call } from './operands.js';
import { cutTime } from './times/whole-seconds.js';
import { fractionsOfTime } from './lengths/lengths-of-time.js';
import { timeOfMilliseconds } from './times/time-buckets.js';
import { byTypes } from './functions/by-types.js';
import { timeFrame } from './queries/time-frames.js';
import { otherCall } from './functions/other-calls.js';
import { checkCount } from './functions/scalar-function.js';
import { SCALAR_FUNCTIONS } from './functions/scalar-functions.js';
import { textsOfBytes } from './functions/texts-of-bytes.js';
import {
  endOf,
  isQuery,
  isSymbol,
  isWord,
  itemAt,
  itemsOf,
  nameOf,
  startOf,
  type Group,
  type Node,
  type Nodes,
} from './source-tree.js';
import { timeBeside } from './times/time-literals.js';
import { chosenValues } from './casts/chosen-values.js';
import type { ValueTypes } from './casts/value-types.js';
import { WrittenLength } from './written-length.js';

/** The expressions behind names, in a clause where the names of the output take precedence. */
export type Names = ReadonlyMap<string, string>;

export interface Writing {
  /** The statement that the nodes belong to. */
  readonly source: string;
  readonly types: ValueTypes;
  /** The engine's spelling of a function that is written in another case; undefined for any other function. */
  readonly spelling: (name: string) => string | undefined;
  /** The SQL that replaces a function about the session, without arguments; undefined for any other. */
  readonly session: (name: string) => string | undefined;
  readonly writeQuery: (nodes: Nodes) => string;
  readonly select: () => EnclosingSelect;
}

/** The SELECT that is being written. */
interface EnclosingSelect {
  /** The meaning of names at this place. */
  readonly scope: Scope;
  /** See `zero-keys.ts`. */
  readonly zeroKeys: ZeroKeys;
}

/** Writes expressions in the engine's SQL. Pieces that need no change stay as they are, including blanks. */
export class Expressions {
  private readonly length: WrittenLength;
  /** True while aggregates are written with their value of no rows. */
  private isOfNothing = false;

  constructor(private readonly writing: Writing) {
    this.length = new WrittenLength(writing.source.length);
  }

  write(nodes: Nodes, names?: Names): string {
    if (isQuery(nodes)) return this.subquery(nodes[0], this.query(nodes));
    let written = '';
    let from = startOf(nodes);
    for (let at = 0; at < nodes.length;) {
      this.length.node();
      const end = this.arithmeticEnd(nodes, at) ?? signedOperandEnd(nodes, at) ?? at + 1;
      const operand = nodes.slice(at, end);
      const own = this.operand(nodes, at, end, names);
      // An expression behind a name has one zero already.
      const isNamed = end - at === 1 && names?.has(nameOf(operand[0]) ?? '') === true;
      written += this.between(from, startOf(operand)) + (isNamed ? own : writtenAsKey(this.writing.select().zeroKeys, nodes, [at, end], { source: this.writing.source, own, add: this.named })); // prettier-ignore
      from = endOf(operand);
      at = end;
    }
    return written;
  }

  private query(nodes: Nodes): string {
    return this.withNothing(false, () => this.writing.writeQuery(nodes));
  }

  private subquery(brackets: Node | undefined, written: string): string {
    return subqueryOf(brackets, written, (nodes, names) => this.ofNothing(nodes, names));
  }

  /** Writes an expression of aggregates with the value that it has where there are no rows. */
  private ofNothing(nodes: Nodes, names?: Names): string {
    return this.length.add(this.withNothing(true, () => this.write(nodes, names)));
  }

  private withNothing(isOfNothing: boolean, write: () => string): string {
    const outer = this.isOfNothing;
    this.isOfNothing = isOfNothing;
    try {
      return write();
    } finally {
      this.isOfNothing = outer;
    }
  }

  /** Counts the length of a text that is added. Nested subqueries are each named after their whole text. */
  readonly named = (text: string): string => this.length.add(text);

  private between(from: number, to: number): string {
    return this.writing.source.slice(from, to);
  }

  /** Finds the end of a sum or product. In the engine's print, one operator stands between two operands, and further operators are in brackets. */
  private arithmeticEnd(nodes: Nodes, at: number): number | undefined {
    const middle = signedOperandEnd(nodes, at);
    if (middle === undefined) return undefined;
    const behind = behindBinary(nodes, middle);
    if (behind === undefined) return membershipAt(nodes, middle)?.end;
    return signedOperandEnd(nodes, behind);
  }

  private operand(nodes: Nodes, at: number, end: number, names: Names | undefined): string {
    const operand = nodes.slice(at, end);
    const middle = signedOperandEnd(nodes, at) ?? end;
    const among = middle < end ? membershipAt(nodes, middle) : undefined;
    if (among) return this.membership(nodes.slice(at, middle), among, names);
    if (middle < end) return this.arithmetic(operand, middle - at, names);
    if (isSymbol(nodes[at], '-')) {
      const value = operand.slice(1);
      return negation(operand, this.writing.types.of(value), this.write(value, names));
    }
    const field = fieldWithin(nodes, at, end, this.writing);
    if (field) return field.sql + this.pieces(nodes.slice(field.end, end), undefined, field.behind);
    const call = callAt(nodes, at);
    if (call && call.end <= end) {
      const behind = call.end < end ? nodes[call.end - 1]?.end : undefined;
      return (
        this.call(nodes, at, call) + this.pieces(nodes.slice(call.end, end), undefined, behind)
      );
    }
    const [first] = operand;
    const isBare = operand.length === 1 && (first?.kind === 'word' || first?.kind === 'name');
    if (isBare && !isWord(nodes[at - 1], 'AS') && !isSymbol(nodes[at - 1], '.')) {
      const stands = names?.get(first.value);
      if (stands !== undefined) return this.length.add(`(${stands})`);
      const clock = clockOf(first);
      if (clock !== undefined) return clock;
    }
    return this.pieces(operand, names);
  }

  private membership(value: Nodes, among: Membership, names: Names | undefined): string {
    const { types } = this.writing;
    const write = (nodes: Nodes): string => this.write(nodes, names);
    const typeOf = (nodes: Nodes): Known => types.of(nodes);
    const written = soughtValue(value, typeOf, write);
    const sought = { nodes: value, value: written, typeOf, add: this.named };
    if (isQuery(among.list.nodes))
      return membershipOfRows(among, sought, write, this.group(among.list));
    return membership(among, sought, (item, column) => this.beside(types.of(column), types.of(item), item, names)); // prettier-ignore
  }

  /** Writes an item of a list, or one side of a comparison, beside a value of that type. */
  private beside(beside: Known, type: Known, nodes: Nodes, names: Names | undefined): string {
    const number = () => besideNumber(beside, { type, nodes, written: this.write(nodes, names) });
    return timeBeside(beside, nodes) ?? number();
  }

  /** Goes into brackets, and leaves everything else unchanged. */
  private pieces(nodes: Nodes, names: Names | undefined, start = startOf(nodes)): string {
    let written = '';
    let from = start;
    for (const node of nodes) {
      const text =
        node.kind === 'group' ? this.group(node, names) : this.between(node.start, node.end);
      written += this.between(from, node.start) + text;
      from = node.end;
    }
    return written;
  }

  private group(group: Group, names?: Names): string {
    const { nodes, start, end, text } = group;
    if (nodes.length === 0 || text === '{') return this.between(start, end);
    const known = text === '(' ? names : undefined;
    // Brackets may stand deep within one another, so no call more than needed is made for each.
    const inner = timeFrame(nodes, (piece) => this.write(piece, known)) ?? this.write(nodes, known);
    const [before, behind] = [this.between(start, startOf(nodes)), this.between(endOf(nodes), end)];
    return this.subquery(group, before + inner + behind);
  }

  private arithmetic(nodes: Nodes, middle: number, names: Names | undefined): string {
    const { types } = this.writing;
    const behind = behindBinary(nodes, middle) ?? middle + 1;
    const operator = nodes
      .slice(middle, behind)
      .map(({ text }) => text)
      .join(' ');
    const side = (side: Nodes): Side => {
      // Brackets within are examined first, so the type of a long sum is known, too.
      const written = this.write(side, names);
      return { type: types.of(side), nodes: side, written };
    };
    const [left, right] = [side(nodes.slice(0, middle)), side(nodes.slice(behind))];
    return binaryOperation(operator, left, right, () => types.of(nodes), this.named);
  }

  private call(nodes: Nodes, at: number, call: Call): string {
    const { name, list, more } = call;
    const nothing = this.isOfNothing ? valueOfAggregate(call) : undefined;
    if (nothing !== undefined) return nothing;
    if (/^exists$/i.test(name) && isListed(list))
      return this.subquery(list, `(${this.query(list.nodes)})`);
    const over = nodes.slice(call.overAt, call.end);
    const suffix = over.length === 0 ? '' : ` ${this.pieces(over, undefined)}`;
    const { start, end } = nodes[at] as Node;
    const written = spelledName(name, this.writing.spelling) ?? this.between(start, end);
    // The arguments are written only once. Otherwise each level of nested calls would double the
    // work.
    const given = list.nodes.length === 0 ? [] : this.items(list.nodes);
    const withheld = (of: Group, written: readonly string[]): readonly string[] =>
      filteredArguments({ name, list: of, types: this.writing.types }, written, this.length);
    const typeAt = (at: number): Known => this.writing.types.of(itemAt(itemsOf(list.nodes), at));
    const cut = textsOfBytes(name, cutTime(name, differentValues(name, given, typeAt), typeAt), typeAt); // prettier-ignore
    const items = more ? given : withheld(list, chosenValues(name, list, cut, this.writing.types));
    if (!more) {
      const own = this.translated(name, list, items, suffix);
      if (own !== undefined) return this.length.add(own);
    }
    const parameters = more ? `(${withheld(more, this.items(more.nodes)).join(', ')})` : '';
    return `${written}(${items.join(', ')})${parameters}${suffix}`;
  }

  private items(nodes: Nodes): readonly string[] {
    return isQuery(nodes) ? [this.write(nodes)] : itemsOf(nodes).map((item) => this.write(item));
  }

  private translated(
    name: string,
    { nodes, start }: Group,
    args: readonly string[],
    over: string,
  ): string | undefined {
    const lower = name.toLowerCase();
    const [base, combinators] = aggregateName(lower);
    const count = itemsOf(nodes).length;
    const scalar = Object.hasOwn(SCALAR_FUNCTIONS, lower) ? SCALAR_FUNCTIONS[lower] : undefined;
    if (scalar) {
      checkCount(name, count, scalar);
      const chance = ofChance(lower, start);
      if (chance !== undefined) return chance;
      const field = jsonField(lower, nodes, this.writing.select().scope);
      const { types } = this.writing;
      const type = types.of(nodes);
      const written = field ?? timeOfMilliseconds(lower, type, args) ?? fractionsOfTime(lower, type, args) ?? scalar.write(...jsonArguments(lower, args, () => types.of(itemAt(itemsOf(nodes), 0)))); // prettier-ignore
      return byTypes(lower, itemsOf(nodes).map((item) => types.of(item)), args, written); // prettier-ignore
    }
    const told = count === 0 ? this.writing.session(lower) : undefined;
    if (told !== undefined) return told;
    const filters = combinators.endsWith('If') ? 1 : 0;
    const own = Object.hasOwn(AGGREGATE_FUNCTIONS, base) ? AGGREGATE_FUNCTIONS[base] : undefined;
    const aggregate: Aggregate = (as, given) => {
      const all = [...given, ...(filters > 0 ? args.slice(-1) : [])].join(', ');
      return `${combined(as, combinators)}(${all})${over}`;
    };
    if (own) {
      checkCount(name, count - filters, own);
      return own.write(aggregate, args.slice(0, count - filters));
    }
    const [value = []] = itemsOf(nodes);
    if (base === 'sum' || base === 'avg' || base === 'mean')
      return exactSum(base === 'sum' ? base : 'avg', this.writing.types.of(value), aggregate, args);
    return otherCall({ name, nodes, args, over }, this.writing.types);
  }
}
