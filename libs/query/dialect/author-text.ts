import { authorTokens } from './author-tokens.js';
import { otherSpelling } from './clauses/other-spellings.js';
import { rowLimit } from './clauses/row-limits.js';
import { writtenNumber } from './numbers/written-numbers.js';
import { behindCasts, isKeyword, operandEnd } from './operands.js';
import { groupingSets } from './grouping/grouping-sets.js';
import { isSetOperator } from './queries/select-clauses.js';
import { bitOperators } from './notations/bit-operators.js';
import { escapedPattern } from './notations/escaped-patterns.js';
import { extractedDatePart } from './notations/date-parts.js';
import { jsonArrow, TAKES_LAMBDA } from './notations/json-arrows.js';
import { anyOf } from './notations/any-of.js';
import { shortExistence } from './clauses/short-existence.js';
import { listNotation } from './notations/list-notations.js';
import { orderedAggregate } from './notations/ordered-aggregates.js';
import { passedNulls, refusePassedNulls } from './notations/passed-nulls.js';
import { elementFrom0, otherDialect } from './others/other-dialects.js';
import { power } from './notations/powers.js';
import type { Rewritten } from './notations/rewriting.js';
import { likeSign } from './clauses/like-signs.js';
import { similarPattern } from './notations/similar-patterns.js';
import {
  endOf,
  isList,
  isSymbol,
  isWord,
  startOf,
  treeOf,
  type Group,
  type Node,
  type Nodes,
} from './source-tree.js';
import { trimmedText } from './notations/trimmed-texts.js';
import { castNotation, TYPED_NAMES, typedLiteral } from './casts/cast-notations.js';
import { timestampLiteral } from './times/time-literals.js';
import { wallTime } from './times/times-of-clocks.js';
import { intervalLiteral, secondsOf } from './lengths/written-intervals.js';
import { refuseFalseComments } from './texts/false-comments.js';
import { writtenText } from './texts/written-texts.js';
import { unnestedList, unnestedNames } from './lists/unnested-lists.js';
import { zippedList, zippedLists, type ZippedLists } from './lists/zipped-lists.js';
import { WrittenLength } from './written-length.js';

/**
 * Rewrites standard SQL that the engine's parser does not read, or reads differently, into the
 * engine's SQL. It admits nothing by itself, because the result is parsed and judged like any other
 * statement.
 * @returns the same text if it needs no rewriting.
 * @throws {MillraceError} INVALID_SQL
 */
export function readableText(text: string): string {
  if (!MAYBE.test(text)) return text;
  const tokens = authorTokens(text);
  if (tokens) refuseFalseComments(tokens, text);
  const nodes = tokens && treeOf(tokens);
  return nodes ? new AuthorText(text).statement(nodes) : text;
}

// Repetitions are bounded if the next piece of the pattern can match the same characters. Otherwise
// the time would grow with the square of the length.
const MAYBE = new RegExp(
  [
    String.raw`\b(?:UNION|INTERSECT|EXCEPT|VALUES|(?:TRY|SAFE)_CAST|WITHIN|ORDER|EPOCH|EXCLUDE|OVER|UNNEST|ESCAPE|ANY|SOME|EXISTS|LAMBDA|RANGE|EXTRACT|SIMILAR|TRIM|GENERATE_SERIES|MODE|INTERVAL|ROW|STRUCT|ROLLUP|CUBE|GROUPING|NCHAR|NATIONAL|TOP|FETCH|(?:SAFE_)?OFFSET|ORDINAL|MATERIALIZED|DATE_?ADD|DATE_SUB|(?:TIMESTAMP|DATETIME|DATE)_(?:TRUNC|DIFF)|TIMESTAMP_?ADD|RLIKE|SUBSTRING|DATETIME|IGNORE|FORMAT|LIMIT\s{1,9}(?:ALL|NULL)|CAST\s{0,9}\(\s{0,9}\d*\.\d+)\b`,
    String.raw`\b[enr]'|\bu&'|'\s{0,80}\n\s{0,80}'|#[ !>]|->|\*\*|\^|[&|@]|<<|>>|(?<!:):(?!:)|\/\/|~|[\d.)]\s*::|\b0x[\da-f]+\s*::|\w(?:\([\d, ]{0,20}\))?\s{0,9}\[\d{0,9}\]`,
    String.raw`\barray\s*[[(<]|\b(?:list|map)\s*[({<]|\barray\s*\)|\btime\s+zone\b|\btimezone\s*\(|\bnot\s+regexp\b|\ball\s{0,9}\(`,
    String.raw`\b(?:TIME(?:STAMP(?:TZ)?(?:\(\d\))?)?|${TYPED_NAMES})\s{0,9}'`,
    String.raw`(?:^|[^\w."\`)\]])\.\d|[\d.]{19}|0x[\da-f]{17}|\d_\d|\de\+?\d{3}`,
  ].join('|'),
  'i',
);
const TAILS = ['ORDER', 'LIMIT', 'OFFSET', 'FETCH'];
class AuthorText {
  private readonly length: WrittenLength;
  /** Tells whether a lambda may begin here. */
  private isLambda = false;
  private unnested: ReadonlyMap<string, string> = new Map();
  private zipped: ZippedLists = new Map();

  constructor(private readonly text: string) {
    this.length = new WrittenLength(text.length);
  }

  statement(nodes: Nodes): string {
    this.unnested = unnestedNames(nodes);
    this.zipped = zippedLists(nodes, this.text);
    const before = this.text.slice(0, startOf(nodes));
    return before + this.query(nodes) + this.text.slice(endOf(nodes));
  }

  /** Rewrites the text between two brackets, or the whole. */
  private query(nodes: Nodes): string {
    if (isWord(nodes[0], 'VALUES') && isList(nodes[1]))
      return `SELECT * FROM (${this.list(nodes)})`;
    const last = nodes.findLastIndex((_, at) => isSetOperator(nodes, at));
    const tail =
      last === -1 ? -1 : nodes.findIndex((node, at) => at > last && isTail(node, nodes, at));
    if (tail === -1) return this.list(nodes);
    const from = isWord(nodes[0], 'EXPLAIN') ? nodes.findIndex(beginsSelect) : 0;
    const pieces = [nodes.slice(0, from), nodes.slice(from, tail), nodes.slice(tail)] as const;
    const [explained, compound, rest] = pieces.map((piece) => this.list(piece));
    // The engine would apply ORDER BY and LIMIT only to the last SELECT.
    return `${explained ? `${explained} ` : ''}SELECT * FROM (${compound}) ${rest}`;
  }

  private list(nodes: Nodes): string {
    let written = '';
    let from = startOf(nodes);
    for (let at = 0; at < nodes.length;) {
      this.length.node();
      const { text, end } = this.rewritten(nodes, at) ?? {
        text: this.node(nodes, at),
        end: at + 1,
      };
      written += this.text.slice(from, nodes[at]?.start) + text;
      from = nodes[end - 1]?.end ?? from;
      at = end;
    }
    return written;
  }

  private node(nodes: Nodes, at: number): string {
    const node = nodes[at] as Node;
    if (node.kind !== 'group') return this.text.slice(node.start, node.end);
    // Parameters, as in `quantile(0.5)(x)`, are literals.
    const isParameters = isList(node) && isList(nodes[at + 1]);
    if (node.nodes.length === 0 || isParameters) return this.text.slice(node.start, node.end);
    // FROM (VALUES …) is known to the engine.
    const isTable = /^(?:FROM|JOIN|,)$/i.test(nodes[at - 1]?.text ?? '');
    const outer = this.isLambda;
    this.isLambda = isList(node) && TAKES_LAMBDA.test(nodes[at - 1]?.text ?? '');
    const query =
      isTable && isWord(node.nodes[0], 'VALUES') ? this.list(node.nodes) : this.query(node.nodes);
    this.isLambda = outer;
    // The engine's print drops the brackets around an operand of UNION, so that its own ORDER BY and
    // LIMIT would apply to the whole. A subquery keeps them within.
    const inner = isOperand(nodes, at) && hasTail(node.nodes) ? `SELECT * FROM (${query})` : query;
    return `${this.text.slice(node.start, startOf(node.nodes))}${inner}${this.text.slice(endOf(node.nodes), node.end)}`;
  }

  private rewritten(nodes: Nodes, at: number): Rewritten | undefined {
    const [word, list] = [nodes[at], nodes[at + 1]];
    // A long path is examined once, from its beginning.
    const goesOn = isWithinPath(nodes, at);
    const foreign = goesOn ? undefined : (this.matched(nodes, at) ?? this.foreign(nodes, at));
    if (foreign) return foreign;
    const write = (piece: Nodes): string => this.list(piece);
    const cast =
      wallTime(nodes, at, this.text) ??
      elementFrom0(nodes, at, write) ??
      castNotation(nodes, at, this.text, write) ??
      intervalLiteral(nodes, at) ??
      groupingSets(nodes, at, write, (text) => this.length.add(text));
    if (cast) return cast;
    const plain = writtenNumber(nodes, at) ?? rowLimit(nodes, at, write) ?? otherSpelling(nodes, at, write); // prettier-ignore
    if (plain) return plain;
    const typed = typedLiteral(nodes, at, this.text);
    if (typed) return typed;
    if (list?.kind === 'text' && !isWord(nodes[at - 1], 'AS')) {
      const text = this.text.slice(list.start, list.end);
      if (isWord(word, 'TIME')) return { text: `CAST(${text}, 'Time64(6)')`, end: at + 2 };
      // The engine's type has a zone, and no fraction.
      if (isWord(word, 'TIMESTAMPTZ'))
        return { text: `parseDateTime64BestEffort(${text}, 6, 'UTC')`, end: at + 2 };
      if (isWord(word, 'TIMESTAMP') || isWord(word, 'DATETIME'))
        return timestampLiteral(list, text, at + 2);
    }
    // The engine reads `SELECT TOP 5 …`. A column with that name anywhere else needs quotes.
    if (
      isWord(word, 'TOP') &&
      /^(?:SELECT|DISTINCT)$/i.test(nodes[at - 1]?.text ?? '') &&
      list?.kind !== 'number' &&
      !isList(list)
    )
      return { text: `"${word?.text}"`, end: at + 1 };
    if (word?.kind !== 'word' || !isList(list)) return undefined;
    if (isEpoch(word.text, list.nodes)) return this.epoch(list, at);
    // `* EXCLUDE (a)` is DuckDB's and Snowflake's.
    if (isWord(word, 'EXCLUDE') && nodes[at - 1]?.text === '*')
      return { text: 'EXCEPT', end: at + 1 };
    const passed = passedNulls(nodes, at, write);
    if (passed) return passed;
    // The engine's functions skip nulls, the standard's do not.
    if (/^(?:first|last)_value$/i.test(word.text) && isWord(nodes[at + 2], 'OVER'))
      return { text: `${word.text}${this.node(nodes, at + 1)} RESPECT NULLS `, end: at + 2 };
    refusePassedNulls(nodes, at);
    const existence = shortExistence(nodes, at, write);
    if (existence) return existence;
    return orderedAggregate(nodes, at, write, (text) => this.length.add(text));
  }

  /** Notations of other systems. */
  private foreign(nodes: Nodes, at: number): Rewritten | undefined {
    const write = (piece: Nodes): string => this.list(piece);
    const first = nodes[at];
    const isArgument = at === 0 || isSymbol(nodes[at - 1], ',');
    // The engine accepts a lambda after another argument only in brackets.
    if (this.isLambda && isArgument && at > 0 && isSymbol(nodes[at + 1], '->') && !isList(first))
      return { text: `(${first?.text ?? ''}) ->`, end: at + 2 };
    const literal = writtenText(nodes, at, this.text);
    if (literal) return literal;
    const column = this.unnested.get(nodes[at]?.text ?? '');
    const isLambda = this.isLambda && isArgument;
    const isUnnested = column !== undefined && isSymbol(nodes[at + 1], '.');
    if (isUnnested && nodes[at + 2]?.text === column) return { text: column, end: at + 3 };
    return (
      escapedPattern(nodes, at) ??
      similarPattern(nodes, at) ??
      extractedDatePart(nodes, at, write) ??
      trimmedText(nodes, at, write) ??
      zippedList(this.zipped, nodes, at, write, this.length) ??
      unnestedList(nodes, at, write, this.length) ??
      anyOf(nodes, at, isLambda, write, (text) => this.length.add(text)) ??
      jsonArrow(nodes, at, isLambda, write) ??
      listNotation(nodes, at, write) ??
      otherDialect(nodes, at, write, (text) => this.length.add(text)) ??
      bitOperators(nodes, at, write) ??
      power(nodes, at, write)
    );
  }

  /** `x ~ 'a'`, and with `*` in any case; `x ~~ 'a%'` is LIKE. */
  private matched(nodes: Nodes, at: number) {
    const first = nodes[at];
    if (first?.kind === 'word' && isKeyword(first.text)) return undefined;
    const begun = operandEnd(nodes, at);
    if (begun === undefined) return undefined;
    const middle = behindCasts(nodes, begun);
    const like = likeSign(nodes, middle);
    if (like) return { text: `${this.list(nodes.slice(at, middle))} ${like.text}`, end: like.end };
    const sign = nodes[middle];
    const end = operandEnd(nodes, middle + 1);
    if (sign?.kind !== 'symbol' || !/^!?~\*?$/.test(sign.text) || end === undefined)
      return undefined;
    const [text, pattern] = [nodes.slice(at, middle), nodes.slice(middle + 1, end)];
    const written = sign.text.endsWith('*')
      ? `concat('(?i)', ${this.list(pattern)})`
      : this.list(pattern);
    const match = `match(${this.list(text)}, ${written})`;
    return { text: sign.text.startsWith('!') ? `(NOT ${match})` : `(${match} = 1)`, end };
  }

  /**
   * `EXTRACT(epoch FROM x)` and `date_part('epoch', x)`: the engine's results have only 32 bits.
   */
  private epoch({ nodes }: Group, at: number) {
    const [first, ...rest] = nodes.slice(2);
    const seconds = isWord(first, 'INTERVAL') ? secondsOf(rest) : undefined;
    if (seconds !== undefined) return { text: seconds, end: at + 2 };
    const time = this.list(nodes.slice(2));
    const text = `(toUnixTimestamp64Micro(toDateTime64(${time}, 6, 'UTC')) / 1000000)`;
    return { text, end: at + 2 };
  }
}

/**
 * `extract(epoch, 'a')` is a function of the engine: it matches a pattern in the column `epoch`.
 */
function isEpoch(name: string, [named, next]: Nodes): boolean {
  if (!/^'?epoch'?$/i.test(named?.text ?? '')) return false;
  if (/^EXTRACT$/i.test(name)) return isWord(next, 'FROM');
  return /^DATE_?PART$/i.test(name) && named?.kind === 'text' && isSymbol(next, ',');
}

/** Tells whether a value ends there, so that a following `.1` is an element of it. */
const isOperandAt = (node: Node | undefined): boolean =>
  node !== undefined && node.kind !== 'symbol' && !(node.kind === 'word' && isKeyword(node.text));

/**
 * True for a node behind the first piece of `a.b[1].2` or `a.:Int64`, and for the type behind `::`,
 * because neither is an operand.
 */
function isWithinPath(nodes: Nodes, at: number): boolean {
  const [node, before] = [nodes[at], nodes[at - 1]];
  if (before?.kind === 'symbol')
    return /^(?:\.|::)$/.test(before.text) || (/^[:^]$/.test(before.text) && isSymbol(nodes[at - 2], '.')); // prettier-ignore
  const isElement = node?.kind === 'group' ? node.text === '[' : node?.kind === 'number' && node.text.startsWith('.'); // prettier-ignore
  return isElement && isOperandAt(before);
}

const beginsSelect = (node: Node): boolean =>
  isList(node) || isWord(node, 'SELECT') || isWord(node, 'WITH');

/** Tells whether a group follows UNION, INTERSECT or EXCEPT. */
function isOperand(nodes: Nodes, at: number): boolean {
  let before = at - 1;
  while (isWord(nodes[before], 'ALL') || isWord(nodes[before], 'DISTINCT')) before -= 1;
  return isSetOperator(nodes, before);
}

const hasTail = (nodes: Nodes): boolean => nodes.some((node, at) => isTail(node, nodes, at));

/** Tells whether ORDER BY, LIMIT, OFFSET or FETCH begins there. */
function isTail(node: Node, nodes: Nodes, at: number): boolean {
  if (!TAILS.some((word) => isWord(node, word)) || isSymbol(nodes[at - 1], '.')) return false;
  if (isWord(nodes[at - 1], 'AS')) return false;
  return !isWord(node, 'ORDER') || isWord(nodes[at + 1], 'BY');
}
