import { certain } from '@app/platform';
import {
  columnLike,
  COUNT,
  DATE,
  decimal,
  DECIMAL_DIGITS_MAX,
  eitherOf,
  EMPTY_TEXT,
  FLOAT,
  INTEGERS,
  joined,
  knownType,
  literal,
  moment,
  oneOf,
  remaining,
  SIGNED,
  summed,
  TEXT,
  UNKNOWN,
  UINT64_DIGITS,
  UNSIGNED,
  type Known,
} from './known-type.js';
import { typeOfConstant, typeOfNumber } from '../numbers/exact-literals.js';
import { callAt, isPath, operandEnd, signedOperandEnd } from '../operands.js';
import {
  isList,
  isSymbol,
  isWord,
  itemAt,
  itemsOf,
  nameOf,
  type Group,
  type Node,
  type Nodes,
} from '../source-tree.js';
import { choicesOf } from './choices.js';
import { castType } from './standard-type-names.js';
import { selectedValue } from '../names/selected-values.js';
import { isNow, madeMoment } from '../times/made-times.js';
import { LENGTH, typeOfKept, typeOfLengths, typeOfLevel } from '../lengths/numbers-of-lengths.js';
import { typeOfCut, typeOfTimes } from '../lengths/time-differences.js';

/**
 * Gives the engine's type of a column by its name: `undefined` if no table of the statement has it.
 * If types differ, an integer that holds them, a `Variant` of decimals and integers, or `Dynamic`.
 */
export type TypeOfColumn = (name: string) => string | undefined;

const COUNTS = /^(?:count|countIf|countDistinct|uniq|uniqExact|row_number|rank|dense_rank|ntile)$/i;
const LENGTHS =
  /^(?:length|lengthUTF8|char_length|position|len|array_length|list_length|cardinality|list_count|list_unique|count_if)$/i;
const TIME_FIELDS =
  /^to(?:Year|Quarter|Month|DayOfMonth|DayOfYear|DayOfWeek|Hour|Minute|Second|ISOWeek)$/;
const KEEPS =
  /^(?:min|max|any|any_value|anyLast|abs|first|last|arbitrary|argMin|argMax|arg_min|arg_max|min_by|max_by|first_value|last_value|lag|lead|nullIf|assumeNotNull|toNullable|materialize)(?:If)?$/i;
/** Integers of two integers, of which no result is larger than both. */
const REMAINS = /^(?:modulo|mod|intDiv|div|bitAnd|bitOr|bitXor|bit_and|bit_or)$/i;
const SUMS = /^sum(?:Distinct)?(?:If)?$/i;
const FLOATS = /^(?:toFloat(?:32|64)|sqrt|exp|ln|log|log2|log10|pow|power|sin|cos|tan)$/i;
const DATES = /^(?:toDate|toDate32|makeDate|makeDate32|today|current_date|curdate)$/i;
const MOMENTS =
  /^(?:now|now64|current_timestamp|(?:clock|statement|transaction)_timestamp|toDateTime|toDateTime64|makeDateTime64|fromUnixTimestamp64\w+|to_timestamp(?:_\w+)?|from_unixtime)$/i;
const DEPTH_MAX = 20;
/** A name that is met at less than this depth is examined whole. */
const DEPTH_KEPT = 3;
/**
 * The limit of steps for one expression. Names that refer to each other several times could make
 * the work grow without end.
 */
const STEPS_MAX = 1000;
/**
 * The limit of the expression behind one name. A statement that a person writes stays below it, and
 * each use of the name reads the whole expression.
 */
const MEANINGS_MAX = 100;

/** Finds out which expressions are numbers and times. */
export class ValueTypes {
  private steps = 0;
  /** The aliases whose expressions are being read: within its own expression, an alias means a column. */
  private readonly open = new Set<string>();
  /**
   * The types of numbers' names by their expressions so far. `WITH a AS (SELECT id AS n …), b AS
   * (SELECT n * 2 AS n FROM a)` has an expression of `n` within another one.
   */
  private readonly assumed = new Map<string, Known>();

  /** True while a SELECT of tables alone is read: its names are columns of these. */
  private isOfTables = false;

  /** The types of names, in SELECTs of tables alone and in others. */
  private readonly names = new Map<boolean, Map<string, Known>>();
  /** The types of brackets, so that each of a long sum is examined once. */
  private readonly known = new WeakMap<Node, Known>();

  /**
   * @param aliases of the whole statement, each with its expressions.
   * @param combined the columns of several SELECTs that have a column's name, with their values.
   */
  constructor(
    private readonly typeOfColumn: TypeOfColumn,
    private readonly aliases: ReadonlyMap<string, readonly Nodes[]>,
    private readonly combined: ReadonlyMap<string, readonly Nodes[]>,
  ) {}

  /** Reads a SELECT, of whose FROM is asked only if that may matter. */
  within<Read>(isOfTables: () => boolean, read: () => Read): Read {
    const outer = this.isOfTables;
    this.isOfTables = this.combined.size > 0 && isOfTables();
    try {
      return read();
    } finally {
      this.isOfTables = outer;
    }
  }

  /** The engine's type of a column, or of a field within objects; undefined if the name may mean something else. */
  ofName(name: string): string | undefined {
    return this.aliases.has(name) ? undefined : this.typeOfColumn(name);
  }

  /** Tells whether a table of the statement has such a column. */
  hasColumn(name: string): boolean {
    return this.typeOfColumn(name) !== undefined;
  }

  /** Tells whether a column or something in the statement has the name. */
  isGiven(name: string): boolean {
    return this.aliases.has(name) || this.hasColumn(name);
  }

  of(nodes: Nodes, depth = 0): Known {
    this.steps = depth === 0 ? 0 : this.steps + 1;
    if (depth > DEPTH_MAX || this.steps > STEPS_MAX) return UNKNOWN;
    const [first] = nodes;
    if (!first) return UNKNOWN;
    if (nodes.length === 1) return this.ofOne(first, depth);
    if (isSymbol(first, '-') && operandEnd(nodes, 1) === nodes.length) {
      const type = this.of(nodes.slice(1), depth + 1);
      return type.kind === 'unsigned' || type.kind === 'count' ? SIGNED : type;
    }
    if (isPath(nodes)) return this.ofPath(nodes, depth);
    const last = nodes.at(-1);
    if (last?.kind === 'group' && last.text === '[' && operandEnd(nodes, 0) === nodes.length)
      return columnLike(this.of(nodes.slice(0, -1), depth + 1).element ?? UNKNOWN);
    const call = callAt(nodes, 0);
    if (call?.end === nodes.length && !call.more) return this.ofCall(nodes, depth);
    if (call?.end === nodes.length) return typeOfLevel(call, (item) => this.of(item, depth + 1));
    const end = signedOperandEnd(nodes, 0);
    const operator = end === undefined ? undefined : nodes[end];
    if (end === undefined || operator?.kind !== 'symbol') return UNKNOWN;
    if (!/^[-+*/%]$/.test(operator.text)) return UNKNOWN;
    const left = this.of(nodes.slice(0, end), depth + 1);
    const right = this.of(nodes.slice(end + 1), depth + 1);
    if (operator.text === '/') return typeOfLengths('/', left, right) ?? FLOAT;
    if (operator.text === '%') return remaining([left, right]);
    const operands = [nodes.slice(0, end), nodes.slice(end + 1)] as const;
    const ofTimes = typeOfTimes({ operator: operator.text, operands, types: [left, right] });
    if (ofTimes) return ofTimes;
    const type = joined(operator.text, left, right);
    const constant = isFraction(left, right) ? typeOfConstant(nodes) : undefined;
    if (constant) return constant;
    const isNegative = isSymbol(first, '-') || isSymbol(nodes[end + 1], '-');
    return type.kind === 'unsigned' && isNegative ? SIGNED : type;
  }

  private ofOne(node: Node, depth: number): Known {
    if (node.kind === 'number') return typeOfNumber(node.text);
    if (node.kind === 'text') return node.value === '' ? EMPTY_TEXT : TEXT;
    if (node.kind === 'group') return isList(node) ? this.ofBrackets(node, depth) : UNKNOWN;
    if (node.kind === 'symbol') return UNKNOWN;
    const { value } = node;
    if (isNow(node) && !this.isGiven(value)) return moment();
    const column = this.typeOfColumn(value);
    const types = column === undefined ? [] : [knownType(column)];
    if (this.open.has(value)) return types[0] ?? this.assumed.get(value) ?? UNKNOWN;
    const named = this.names.get(this.isOfTables) ?? new Map<string, Known>();
    const found = named.get(value);
    if (found) return found;
    const combined = this.isOfTables ? [] : (this.combined.get(value) ?? []);
    const meanings = [...(this.aliases.get(value) ?? []), ...combined];
    if (meanings.length > MEANINGS_MAX) return UNKNOWN;
    this.open.add(value);
    for (const stands of meanings) {
      types.push(this.of(stands, depth + 1));
      const type = types.reduce(eitherOf);
      const assumed = type.kind === 'decimal' ? type : INTEGERS[type.kind];
      if (assumed) this.assumed.set(value, assumed);
    }
    this.assumed.delete(value);
    this.open.delete(value);
    const type = oneOf(types);
    // At some depth expressions are no longer read.
    if (this.open.size === 0 && (type.kind !== 'unknown' || depth < DEPTH_KEPT))
      this.names.set(this.isOfTables, named.set(value, type));
    return type;
  }

  /** Within a name's own expression, which is open, a name may mean something else than elsewhere. */
  private ofBrackets(group: Group, depth: number): Known {
    const known = this.known.get(group) ?? this.ofGroup(group.nodes, depth);
    if (known.kind !== 'unknown' && this.open.size === 0) this.known.set(group, known);
    return known;
  }

  private ofGroup(nodes: Nodes, depth: number): Known {
    const selected = selectedValue(nodes);
    if (selected) return columnLike(this.of(selected, depth + 1));
    const type = this.of(nodes, depth + 1);
    return type.kind === 'fraction' ? (typeOfConstant(nodes) ?? FLOAT) : type;
  }

  /** `t.v`; or a column or a field within objects whose name contains the dots. */
  private ofPath(nodes: Nodes, depth: number): Known {
    const names = nodes.filter((_, at) => at % 2 === 0).map((node) => nameOf(node));
    if (names.includes(undefined)) return UNKNOWN;
    const whole = this.typeOfColumn(names.join('.'));
    if (whole !== undefined) return knownType(whole);
    if (names.length > 2) {
      const within = this.typeOfColumn(names.slice(1).join('.'));
      return within === undefined ? UNKNOWN : knownType(within);
    }
    return names.length === 2 ? this.ofOne(nodes[2] as Node, depth) : UNKNOWN;
  }

  /** The common type of several values: undefined for NULL, signed for literals with a minus. */
  ofChoice(value: Nodes, depth = 0): Known | undefined {
    const [first, more] = value;
    if (more === undefined && isWord(first, 'NULL')) return undefined;
    const type = this.of(value, depth);
    if (type.kind !== 'literal') return type;
    if (hasMinus(value)) return { ...type, kind: 'signed' };
    return more === undefined && isAboveInt64(first) ? literal(UINT64_DIGITS) : type;
  }

  private ofSeveral(values: readonly Nodes[], depth: number): Known {
    const types = values
      .map((value) => this.ofChoice(value, depth + 1))
      .filter((type) => type !== undefined);
    return types.length === 0 ? UNKNOWN : types.reduce(eitherOf);
  }

  private ofCall(nodes: Nodes, depth: number): Known {
    const [word, list] = nodes;
    const name = nameOf(word) ?? '';
    if (COUNTS.test(name) || LENGTHS.test(name)) return COUNT;
    if (TIME_FIELDS.test(name)) return COUNT;
    if (DATES.test(name)) return DATE;
    if (/^toInterval/.test(name)) return LENGTH;
    if (!isList(list)) return MOMENTS.test(name) ? moment() : UNKNOWN;
    const items = itemsOf(list.nodes);
    const [first = [], second = []] = items;
    if (MOMENTS.test(name)) return madeMoment(name, items);
    const cut = typeOfCut(name, items, (item) => this.of(item, depth + 1));
    if (cut) return cut;
    const chosen = choicesOf(name, items.length).map((at) => itemAt(items, at));
    if (chosen.length > 0) return this.ofSeveral(chosen, depth);
    if (REMAINS.test(name) && items.length === 2)
      return remaining(items.map((item) => this.of(item, depth + 1)));
    if (KEEPS.test(name)) return columnLike(this.of(first, depth + 1));
    if (SUMS.test(name)) return summed(this.ofChoice(first, depth + 1) ?? UNKNOWN);
    const kept = typeOfKept(name, () => this.of(first, depth + 1));
    if (kept) return kept;
    if (FLOATS.test(name)) return FLOAT;
    const [, bits] = /^toDecimal(32|64|128|256)$/.exec(name) ?? [];
    const scale = second.length === 1 && second[0]?.kind === 'number' ? second[0].text : undefined;
    if (bits !== undefined && scale !== undefined)
      return decimal(certain(WIDTHS[bits], `digits of ${bits} bits`), Number(scale));
    if (/^toU?Int(?:8|16|32|64)$/.test(name)) return name.startsWith('toU') ? UNSIGNED : SIGNED;
    if (!/^(?:accurate)?CAST$/i.test(name) || second[0]?.kind !== 'text' || second.length > 1)
      return UNKNOWN;
    return castType(second[0].value);
  }
}

const hasMinus = (nodes: Nodes): boolean =>
  nodes.some((node) => (node.kind === 'group' ? hasMinus(node.nodes) : isSymbol(node, '-')));

/** Tells whether a number of 19 digits exceeds the largest signed integer. */
const isAboveInt64 = (node: Node | undefined): boolean =>
  node?.kind === 'number' &&
  node.text.length === INT64_MAX.length &&
  /^\d+$/.test(node.text) &&
  node.text > INT64_MAX;
const INT64_MAX = '9223372036854775807';

/** Digits of the engine's decimals by their bits. */
const WIDTHS: Readonly<Record<string, number>> = {
  32: 9,
  64: 18,
  128: 38,
  256: DECIMAL_DIGITS_MAX,
};

const isFraction = (left: Known, right: Known): boolean =>
  left.kind === 'fraction' || right.kind === 'fraction';
