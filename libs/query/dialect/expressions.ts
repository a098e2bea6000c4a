import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { AGGREGATE_FUNCTIONS } from './aggregate-functions.js';
import { exactSum } from './exact-literals.js';
import { isInteger, type IntegerTypes } from './integer-types.js';
import { callAt, operandEnd, signedOperandEnd, type Call } from './operands.js';
import { SCALAR_FUNCTIONS } from './scalar-functions.js';
import {
  endOf,
  isQuery,
  isSymbol,
  isWord,
  itemsOf,
  startOf,
  type Group,
  type Node,
  type Nodes,
} from './source-tree.js';
import { timeArithmetic } from './time-arithmetic.js';
import { engineType } from './type-names.js';
import { WrittenLength } from './written-length.js';

/** What names stand for in a clause where the names of the output come first. */
export type Names = ReadonlyMap<string, string>;

export interface Writing {
  /** The statement that the nodes are of. */
  readonly source: string;
  readonly types: IntegerTypes;
  /** The engine's name of a function that is written in another case; undefined for any other. */
  readonly spelling: (name: string) => string | undefined;
  readonly writeQuery: (nodes: Nodes) => string;
}

/** Writes expressions as the engine has them. What is not written anew stays as it is, spaces included. */
export class Expressions {
  private readonly length = new WrittenLength();

  constructor(private readonly writing: Writing) {}

  write(nodes: Nodes, names?: Names): string {
    if (isQuery(nodes)) return this.writing.writeQuery(nodes);
    let written = '';
    let from = startOf(nodes);
    for (let at = 0; at < nodes.length;) {
      const end = this.arithmeticEnd(nodes, at) ?? operandEnd(nodes, at) ?? at + 1;
      const part = nodes.slice(at, end);
      written += this.between(from, startOf(part)) + this.part(nodes, at, end, names);
      from = endOf(part);
      at = end;
    }
    return written;
  }

  private between(from: number, to: number): string {
    return this.writing.source.slice(from, to);
  }

  /** In the engine's print one operator stands between two operands; others are in brackets. */
  private arithmeticEnd(nodes: Nodes, at: number): number | undefined {
    const middle = signedOperandEnd(nodes, at);
    const operator = middle === undefined ? undefined : nodes[middle];
    if (middle === undefined || operator?.kind !== 'symbol' || !OPERATORS.test(operator.text))
      return undefined;
    return signedOperandEnd(nodes, middle + 1);
  }

  private part(nodes: Nodes, at: number, end: number, names: Names | undefined): string {
    const part = nodes.slice(at, end);
    const middle = signedOperandEnd(nodes, at) ?? end;
    if (middle < end) return this.arithmetic(part, middle - at, names);
    const call = callAt(nodes, at);
    if (call && call.end <= end)
      return (
        this.call(nodes, at, call) +
        this.pieces(
          nodes.slice(call.end, end),
          undefined,
          call.end < end ? endOf(nodes.slice(at, call.end)) : undefined,
        )
      );
    const [first] = part;
    const isBare = part.length === 1 && (first?.kind === 'word' || first?.kind === 'name');
    if (isBare && !isWord(nodes[at - 1], 'AS') && !isSymbol(nodes[at - 1], '.')) {
      const stands = names?.get(first.value);
      if (stands !== undefined) return this.length.add(`(${stands})`);
    }
    return this.pieces(part, names);
  }

  /** Brackets are gone into; everything else stays. */
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
    const inner = this.write(nodes, text === '(' ? names : undefined);
    return this.between(start, startOf(nodes)) + inner + this.between(endOf(nodes), end);
  }

  private arithmetic(nodes: Nodes, middle: number, names: Names | undefined): string {
    const { types } = this.writing;
    const operator = nodes[middle]?.text ?? '';
    const [left, right] = [nodes.slice(0, middle), nodes.slice(middle + 1)];
    const [a, b] = [this.write(left, names), this.write(right, names)];
    const isWhole = [left, right].every((side) => isInteger(types.kindOf(side)));
    const timed = isWhole ? undefined : timeArithmetic(operator, left, right, [a, b]);
    if (timed !== undefined) return timed;
    const sum = exactSum(operator, left, right);
    if (sum !== undefined) return sum;
    const kind = types.kindOf(nodes);
    const plain = `${a} ${operator} ${b}`;
    if (!/^[-+*]$/.test(operator)) return plain;
    return kind === 'signed' || kind === 'unsigned'
      ? within64Bits(`toInt128(${a}) ${operator} ${b}`, kind)
      : plain;
  }

  private call(nodes: Nodes, at: number, call: Call): string {
    const { name, list, more } = call;
    const over = nodes.slice(call.overAt, call.end);
    const suffix = over.length === 0 ? '' : ` ${this.pieces(over, undefined)}`;
    const known = this.writing.spelling(name);
    const word = nodes[at] as Node;
    const written = known ?? this.between(word.start, word.end);
    // Once only: within one another, calls that are written twice take twice as long each.
    const items = list.nodes.length === 0 ? [] : this.items(list.nodes);
    if (!more) {
      const own = this.translated(name, list, items, suffix);
      if (own !== undefined) return this.length.add(own);
    }
    const args = items.join(', ');
    const parameters = more ? `(${this.items(more.nodes).join(', ')})` : '';
    return `${written}(${args})${parameters}${suffix}`;
  }

  private items(nodes: Nodes): readonly string[] {
    return isQuery(nodes) ? [this.write(nodes)] : itemsOf(nodes).map((item) => this.write(item));
  }

  private translated(
    name: string,
    { nodes }: Group,
    args: readonly string[],
    over: string,
  ): string | undefined {
    const lower = name.toLowerCase();
    const [base, combinators] = aggregateName(lower);
    const count = itemsOf(nodes).length;
    const scalar = Object.hasOwn(SCALAR_FUNCTIONS, lower) ? SCALAR_FUNCTIONS[lower] : undefined;
    if (scalar) {
      checkCount(name, count, scalar);
      return scalar.write(...args);
    }
    const filters = combinators.endsWith('If') ? 1 : 0;
    const own = Object.hasOwn(AGGREGATE_FUNCTIONS, base) ? AGGREGATE_FUNCTIONS[base] : undefined;
    const aggregate = (as: string, given: readonly string[]): string => {
      const all = [...given, ...(filters > 0 ? args.slice(-1) : [])].join(', ');
      const open = as.indexOf('(');
      if (open === -1) return `${as}${combinators}(${all})${over}`;
      return `${as.slice(0, open)}${combinators}${as.slice(open)}(${all})${over}`;
    };
    if (own) {
      checkCount(name, count - filters, own);
      return own.write(aggregate, args.slice(0, count - filters));
    }
    if (base === 'sum' || base === 'avg')
      return this.sum(base, itemsOf(nodes)[0] ?? [], aggregate, args);
    if (lower === 'count' && count === 1) return this.values(nodes, over);
    if (lower === 'cast' && count === 2) return this.cast(itemsOf(nodes)[0] ?? [], args);
    if (lower === 'sqlstandardvalues') return `values(${args.join(', ')})${over}`;
    if (lower === 'todatetime' && count === 1) return timeLiteral(nodes);
    if (lower === 'todate' && count === 1) return dateLiteral(nodes);
    if (lower === 'div' && count === 2) return `intDiv(${args.join(', ')})`;
    if (lower === 'log' && count === 2) return `(log(${args[1]}) / log(${args[0]}))`;
    return undefined;
  }

  /** A sum of integers that leaves 64 bits is an error, never another number. */
  private sum(
    name: string,
    summed: Nodes,
    aggregate: (name: string, args: readonly string[]) => string,
    [x = '']: readonly string[],
  ): string | undefined {
    const kind = this.writing.types.kindOf(summed);
    if (kind === 'signed' || kind === 'unsigned') {
      const wide = aggregate(name, [`toInt128(${x})`]);
      return name === 'avg' ? wide : within64Bits(wide, kind);
    }
    if (kind !== 'unknown' || summed.length === 0) return undefined;
    const plain = aggregate(name, [x]);
    // Of a null, `throwIf` reads whatever number lies under it.
    const total = aggregate('sum', [x]);
    const isWhole = `(toTypeName(${total}) LIKE '%Int64%')`;
    if (name === 'avg') return `if(${isWhole}, ${aggregate('avg', [`toFloat64(${x})`])}, ${plain})`;
    const apart = `abs(${aggregate('sum', [`toFloat64(${x})`])} - toFloat64(${total}))`;
    return `(${plain} + throwIf(${isWhole} AND (ifNull(${apart}, 0) > 4611686018427387904), ${quoteText(TOO_LARGE)}))`;
  }

  /** A text that cannot be read is an error; where it may be null, the engine would make it null. */
  private cast(from: Nodes, [value = '', type = '']: readonly string[]): string | undefined {
    const name = /^'([^'\\]*)'$/.exec(type)?.[1];
    if (name === undefined) return undefined;
    const target = engineType(name);
    const cast = `CAST(${value}, ${quoteText(target)})`;
    const kind = this.writing.types.kindOf(from);
    const isJudged = SCALAR_TYPE.test(target) && hasNames(from);
    if (!isJudged || (kind !== 'text' && kind !== 'unknown'))
      return target === name ? undefined : cast;
    const problem = `a text cannot be read as ${target}; TRY_CAST answers null for such`;
    return `if(throwIf(isNull(${cast}) AND isNotNull(${value}), ${quoteText(problem)}) = 0, ${cast}, NULL)`;
  }

  /**
   * A field of a JSON column counts where it has a value. In a window the engine does not find the
   * nulls of the column that it counts.
   */
  private values(nodes: Nodes, over: string): string | undefined {
    const isField =
      nodes.length > 2 && isSymbol(nodes[1], '.') && operandEnd(nodes, 0) === nodes.length;
    const isMatcher = isSymbol(nodes.at(-1), '*');
    const isColumn = nodes.length === 1 && /^(?:word|name)$/.test(nodes[0]?.kind ?? '');
    return (isField && !isMatcher) || (isColumn && over !== '')
      ? `countIf(${this.write(nodes)} IS NOT NULL)${over}`
      : undefined;
  }
}

const OPERATORS = /^(?:[-+*<>=]|<=|>=|!=|<>|==)$/;

/** Types of one value that are read from a text. */
const SCALAR_TYPE =
  /^(?:U?Int\d+|Float\d+|Decimal|Date|DateTime|UUID|IPv|Bool|(?:TINY|SMALL|MEDIUM|BIG)?INT|INTEGER|REAL|DOUBLE|FLOAT|DEC)(?![a-z])/i;

/** Whether a column may be in it. */
const hasNames = (nodes: Nodes): boolean =>
  nodes.some((node, at) =>
    node.kind === 'group'
      ? hasNames(node.nodes)
      : (node.kind === 'name' || node.kind === 'word') &&
        nodes[at + 1]?.kind !== 'group' &&
        !/^(?:NULL|true|false)$/i.test(node.text),
  );

/** What a sum that leaves 64 bits is answered with. */
export const TOO_LARGE =
  'an integer of the statement leaves 64 bits; ask for a wider type, as in sum(CAST(x AS Decimal(38, 0))); sumWithOverflow(x) may wrap';

const within64Bits = (wide: string, kind: 'signed' | 'unsigned'): string =>
  `accurateCast(${wide}, 'Nullable(${kind === 'signed' ? 'Int64' : 'UInt64'})')`;

/** `sumDistinctIf` is `sum` and its combinators. */
function aggregateName(lower: string): readonly [string, string] {
  if (Object.hasOwn(AGGREGATE_FUNCTIONS, lower)) return [lower, ''];
  const [, base = lower, distinct = '', filter = ''] = /^(.*?)(distinct)?(if)?$/.exec(lower) ?? [];
  return [base, `${distinct && 'Distinct'}${filter && 'If'}`];
}

function checkCount(
  name: string,
  count: number,
  { fewest, most }: { readonly fewest: number; readonly most: number },
): void {
  if (count >= fewest && count <= most) return;
  const wanted = fewest === most ? String(fewest) : `${fewest} to ${most}`;
  throw new MillraceError('INVALID_SQL', `${name} takes ${wanted} arguments, not ${count}`);
}

const NARROW_YEARS = /^(?:19[7-9]|20\d|21[0-3])\d-/;

/** `DATE '1950-01-01'` is printed as `toDate('1950-01-01')`, which begins in 1970. */
function dateLiteral([node]: Nodes): string | undefined {
  if (node?.kind !== 'text' || NARROW_YEARS.test(node.value)) return undefined;
  return `toDate32(${quoteText(node.value)})`;
}

/** `TIMESTAMP '… .001'` is printed as `toDateTime('… .001')`. */
function timeLiteral([node]: Nodes): string | undefined {
  if (node?.kind !== 'text' || !/\.\d+/.test(node.value)) return undefined;
  return `toDateTime64(${quoteText(node.value)}, 6)`;
}
