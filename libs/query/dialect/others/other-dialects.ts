import { MillraceError } from '@app/platform';
import { isKeyword, isValueBefore, operandEnd, termEnd } from '../operands.js';
import { isList, isSymbol, isWord, itemsOf, type Group, type Nodes } from '../source-tree.js';
import type { Rewritten, Write } from '../notations/rewriting.js';

/**
 * Notations of BigQuery, Athena (Trino), Snowflake and MySQL: `TIMESTAMP_TRUNC(t, HOUR)`,
 * `date_add('day', -1, t)`, `list[OFFSET(0)]`, `x RLIKE 'a'`, `x LIKE ANY ('a%', 'b%')`.
 * @param add limits the length of the result, in which the left side of LIKE stands several times
 */
export function otherDialect(
  nodes: Nodes,
  at: number,
  write: Write,
  add: (text: string) => string,
): Rewritten | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  if (word?.kind !== 'word') return unmatched(nodes, at, write) ?? likeAny(nodes, at, write, add);
  if (isWord(word, 'RLIKE') && isValueBefore(nodes, at) && beginsOperand(nodes, at + 1))
    return { text: 'REGEXP', end: at + 1 };
  const matched = unmatched(nodes, at, write);
  if (matched) return matched;
  if (!isList(list) || isSymbol(nodes[at - 1], '.')) return likeAny(nodes, at, write, add);
  return (
    cutTime(word.text, list, at, write) ??
    difference(word.text, list, at, write) ??
    movedTime(word.text, list, at, write) ??
    patternOf(word.text, list, at, write) ??
    likeAny(nodes, at, write, add)
  );
}

/** `x NOT RLIKE 'a'` and `x NOT REGEXP 'a'`, of MySQL and Spark. */
function unmatched(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const first = nodes[at];
  if (first?.kind === 'symbol' || (first?.kind === 'word' && isKeyword(first.text)))
    return undefined;
  const middle = termEnd(nodes, at);
  if (middle === undefined || !isWord(nodes[middle], 'NOT')) return undefined;
  const isPattern = isWord(nodes[middle + 1], 'RLIKE') || isWord(nodes[middle + 1], 'REGEXP');
  let end = isPattern ? termEnd(nodes, middle + 2) : undefined;
  while (end !== undefined && isSymbol(nodes[end], '||')) end = termEnd(nodes, end + 1);
  if (end === undefined) return undefined;
  const [text, pattern] = [nodes.slice(at, middle), nodes.slice(middle + 2, end)];
  return { text: `(NOT match(${write(text)}, ${write(pattern)}))`, end };
}

function beginsOperand(nodes: Nodes, at: number): boolean {
  const node = nodes[at];
  return operandEnd(nodes, at) !== undefined && !(node?.kind === 'word' && isKeyword(node.text));
}

/** `list[OFFSET(0)]`, `[SAFE_OFFSET(0)]` and `[ORDINAL(1)]` of BigQuery. */
export function elementFrom0(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const list = nodes[at];
  if (list?.kind !== 'group' || list.text !== '[') return undefined;
  const [name, index, more] = list.nodes;
  const [, base] = /^(?:SAFE_)?(OFFSET|ORDINAL)$/i.exec(name?.text ?? '') ?? [];
  if (base === undefined || !isList(index) || more) return undefined;
  const place = write(index.nodes);
  const [only, other] = index.nodes;
  const isNumber = only?.kind === 'number' && !other;
  const from1 = isNumber ? String(Number(place) + 1) : `(${place}) + 1`;
  return { text: `[${/^OFFSET$/i.test(base) ? from1 : place}]`, end: at + 1 };
}

const UNIT = /^(?:microsecond|millisecond|second|minute|hour|day|isoweek|month|quarter|year)$/i;

/** A unit without quotes behind the other arguments. */
function unitOf(items: readonly Nodes[], place: number): string | undefined {
  const [[unit, list] = []] = items.slice(place);
  // In `date_trunc('month', day)` and `date_trunc({unit:String}, day)` the last word is a column.
  const [[first] = []] = items;
  if (first?.kind === 'text' || (first?.kind === 'group' && isWord(first.nodes.at(-1), 'STRING')))
    return undefined;
  if (unit?.kind !== 'word') return undefined;
  if (isWord(unit, 'WEEK') && (list === undefined || isList(list))) {
    const [day] = isList(list) ? list.nodes : [];
    if (isWord(day, 'MONDAY')) return 'week';
    throw new MillraceError('INVALID_SQL', 'WEEK begins on Sunday there, which is not read: WEEK(MONDAY)'); // prettier-ignore
  }
  if (list || !UNIT.test(unit.text)) return undefined;
  return unit.text.toLowerCase().replace('iso', '');
}

/** `TIMESTAMP_TRUNC(t, HOUR)` and `DATE_TRUNC(d, MONTH)`. */
function cutTime(name: string, { nodes }: Group, at: number, write: Write): Rewritten | undefined {
  if (!/^(?:TIMESTAMP|DATETIME|DATE)_TRUNC$/i.test(name)) return undefined;
  const items = itemsOf(nodes);
  const [time, , zone, more] = items;
  const unit = items.length > 1 ? unitOf(items, 1) : undefined;
  if (!time || unit === undefined || more) return undefined;
  const rest = zone ? `, ${write(zone)}` : '';
  return { text: `date_trunc('${unit}', ${write(time)}${rest})`, end: at + 2 };
}

/** `TIMESTAMP_DIFF(b, a, SECOND)` counts whole units, `DATE_DIFF(b, a, DAY)` the days begun. */
function difference(
  name: string,
  { nodes }: Group,
  at: number,
  write: Write,
): Rewritten | undefined {
  const [, of] = /^(TIMESTAMP|DATETIME|DATE)_DIFF$/i.exec(name) ?? [];
  const items = itemsOf(nodes);
  const [to, from] = items;
  if (of === undefined || items.length !== 3 || !to || !from) return undefined;
  const unit = unitOf(items, 2);
  if (unit === undefined) return undefined;
  const own = /^TIMESTAMP$/i.test(of) ? 'age' : 'date_diff';
  return { text: `${own}('${unit}', ${write(from)}, ${write(to)})`, end: at + 2 };
}

/** `date_add('day', -1, t)` of Trino, Redshift and Snowflake. */
function movedTime(
  name: string,
  { nodes }: Group,
  at: number,
  write: Write,
): Rewritten | undefined {
  if (!/^(?:DATE_?ADD|TIMESTAMP_?ADD)$/i.test(name)) return undefined;
  const [[unit, more] = [], count, time, other] = itemsOf(nodes);
  if (unit?.kind !== 'text' || more || !count || !time || other) return undefined;
  if (!/^(?:week|(?!iso)\w+)$/i.test(unit.value) || !(UNIT.test(unit.value) || /^week$/i.test(unit.value))) return undefined; // prettier-ignore
  return {
    text: `(${write(time)} + INTERVAL (${write(count)}) ${unit.value.toUpperCase()})`,
    end: at + 2,
  };
}

/** `substring(x FROM 'pattern')` of Postgres. */
function patternOf(
  name: string,
  { nodes }: Group,
  at: number,
  write: Write,
): Rewritten | undefined {
  if (!/^SUBSTRING$/i.test(name)) return undefined;
  const [pattern, from] = [nodes.at(-1), nodes.at(-2)];
  if (pattern?.kind !== 'text' || !isWord(from, 'FROM')) return undefined;
  const [text, regexp] = [write(nodes.slice(0, -2)), write([pattern])];
  return { text: `nullIf(extract(${text}, ${regexp}), '')`, end: at + 2 };
}

/** True for a text that is written out, and for one from outside. */
const isGiven = (nodes: Nodes): boolean => {
  const last = nodes.at(-1);
  return last?.kind === 'text' || (last?.kind === 'group' && last.text === '{');
};

/** `x LIKE ANY ('a%', 'b%')`, `x ILIKE ALL (ARRAY['a%'])`. */
function likeAny(
  nodes: Nodes,
  at: number,
  write: Write,
  add: (text: string) => string,
): Rewritten | undefined {
  const first = nodes[at];
  if (first?.kind === 'symbol' || (first?.kind === 'word' && isKeyword(first.text)))
    return undefined;
  const middle = termEnd(nodes, at);
  if (middle === undefined) return undefined;
  const isNot = isWord(nodes[middle], 'NOT');
  const like = middle + (isNot ? 1 : 0);
  const [sign, any, list] = nodes.slice(like, like + 3);
  if (!/^I?LIKE$/i.test(sign?.text ?? '') || !isList(list)) return undefined;
  const isAll = isWord(any, 'ALL');
  if (!isAll && !isWord(any, 'ANY') && !isWord(any, 'SOME')) return undefined;
  const [word, inner] = list.nodes;
  const listed = isWord(word, 'ARRAY') && inner?.kind === 'group' ? inner.nodes : list.nodes;
  // The engine's any(k) is some value of a group.
  if (listed === list.nodes && itemsOf(listed).length === 1 && !isGiven(listed)) return undefined;
  const value = write(nodes.slice(at, middle));
  const each = itemsOf(listed).map((item) => `((${value}) ${isNot ? 'NOT ' : ''}${sign?.text ?? ''} ${write(item)})`); // prettier-ignore
  return { text: add(`(${each.join(isAll ? ' AND ' : ' OR ')})`), end: like + 3 };
}
