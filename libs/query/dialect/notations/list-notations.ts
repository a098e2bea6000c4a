import { behindCasts, isKeyword, operandEnd } from '../operands.js';
import type { Rewritten, Write } from './rewriting.js';
import {
  isList,
  isNameLike,
  isQuery,
  isSymbol,
  isWord,
  itemsOf,
  type Group,
  type Node,
  type Nodes,
} from '../source-tree.js';

/** Converts a list, a map or a lambda in another notation to the engine's SQL. */
export function listNotation(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  return (
    listComparison(nodes, at, write) ??
    listLiteral(nodes, at, write) ??
    listOfRows(nodes, at, write) ??
    mapLiteral(nodes, at, write) ??
    row(nodes, at) ??
    lambda(nodes, at) ??
    listSlice(nodes, at, write)
  );
}

/** The functions for Postgres' signs between two lists. */
const LIST_SIGNS: Readonly<Record<string, (left: string, right: string) => string>> = {
  '@>': (left, right) => `hasAll(${left}, ${right})`,
  '<@': (left, right) => `hasAll(${right}, ${left})`,
  '&&': (left, right) => `hasAny(${left}, ${right})`,
};

/** `tags @> ARRAY['a']`, `<@` and `&&`. In MySQL `a && b` is AND, so one side must be a list. */
function listComparison(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const first = nodes[at];
  if (first?.kind === 'word' && isKeyword(first.text) && !isWord(first, 'CAST')) return undefined;
  const begun = operandEnd(nodes, at);
  if (begun === undefined) return undefined;
  const middle = behindCasts(nodes, begun);
  const [one, two] = [nodes[middle], nodes[middle + 1]];
  const isSign = one?.kind === 'symbol' && two?.kind === 'symbol' && one.end === two.start;
  const written = isSign ? LIST_SIGNS[one.text + two.text] : undefined;
  const end = written && operandEnd(nodes, middle + 2);
  if (!written || end === undefined) return undefined;
  const [left, right] = [nodes.slice(at, middle), nodes.slice(middle + 2, behindCasts(nodes, end))];
  if (one?.text === '&' && !hasList(left) && !hasList(right)) return undefined;
  return { text: `CAST(${written(write(left), write(right))}, 'Bool')`, end: behindCasts(nodes, end) }; // prettier-ignore
}

/** Tells whether a list, or its type, is written there. */
const hasList = (nodes: Nodes): boolean =>
  nodes.some(
    (node) =>
      isWord(node, 'ARRAY') ||
      (node.kind === 'group' && (node.text === '[' || hasList(node.nodes))),
  );

/** `ARRAY[1, 2]`. `array[1]` is an element of a column with that name. */
function listLiteral(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  if (!isWord(word, 'ARRAY') || list?.kind !== 'group' || list.text !== '[') return undefined;
  const isElement = word?.text === 'array' && itemsOf(list.nodes).length === 1;
  if (isElement || isSymbol(nodes[at - 1], '.')) return undefined;
  return { text: write([list]), end: at + 2 };
}

/** `ARRAY(SELECT …)`: all values of its one column, including nulls, in order. */
function listOfRows(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  if (!isWord(word, 'ARRAY') || !isList(list) || !isQuery(list.nodes)) return undefined;
  const all = `arrayMap(e -> tupleElement(e, 1), groupArray(tuple(listed)))`;
  return { text: `(SELECT ${all} FROM ${write([list])} AS listed_rows(listed))`, end: at + 2 };
}

/** `MAP {'a': 1}` of DuckDB. */
function mapLiteral(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const [word, braces] = [nodes[at], nodes[at + 1]];
  if (!isWord(word, 'MAP') || braces?.kind !== 'group' || braces.text !== '{') return undefined;
  const pairs = itemsOf(braces.nodes).map((item) => {
    const colon = item.findIndex((node) => isSymbol(node, ':'));
    return colon < 1 || colon === item.length - 1
      ? undefined
      : `${write(item.slice(0, colon))}, ${write(item.slice(colon + 1))}`;
  });
  return pairs.includes(undefined) ? undefined : { text: `map(${pairs.join(', ')})`, end: at + 2 };
}

/** `ROW(1, 'x')` of the standard. */
const row = (nodes: Nodes, at: number): Rewritten | undefined =>
  isWord(nodes[at], 'ROW') &&
  isList(nodes[at + 1]) &&
  !isSymbol(nodes[at - 1], '.') &&
  !isWord(nodes[at - 1], 'AS') &&
  // `WITH row (a) AS (…)` is the name of a query.
  !(isWord(nodes[at + 2], 'AS') && isList(nodes[at + 3]))
    ? { text: 'tuple', end: at + 1 }
    : undefined;

/** `lambda x: x + 1` of DuckDB and Python is `x -> x + 1`. */
function lambda(nodes: Nodes, at: number): Rewritten | undefined {
  if (!isWord(nodes[at], 'LAMBDA')) return undefined;
  const names: string[] = [];
  let end = at;
  do {
    end += 1;
    const name = nodes[end];
    if (!name || !isNameLike(name)) return undefined;
    names.push(name.text);
    end += 1;
  } while (isSymbol(nodes[end], ','));
  if (!isSymbol(nodes[end], ':')) return undefined;
  return { text: `(${names.join(', ')}) ->`, end: end + 1 };
}

/** `x[2:3]` of DuckDB and Postgres, where either side may be left out. */
function listSlice(nodes: Nodes, at: number, write: Write): Rewritten | undefined {
  const first = nodes[at];
  if (first?.kind === 'word' && isKeyword(first.text)) return undefined;
  const end = operandEnd(nodes, at) ?? at;
  let place = at + 1;
  while (place < end && colonOf(nodes[place]) === -1) place += 1;
  if (place >= end) return undefined;
  let text = write(nodes.slice(at, place));
  for (let group = nodes[place]; isIndex(group); group = nodes[(place += 1)])
    text = colonOf(group) === -1 ? text + write([group]) : sliceOf(text, group, write);
  return { text, end: place };
}

const isIndex = (node: Node | undefined): node is Group =>
  node?.kind === 'group' && node.text === '[';

function sliceOf(list: string, group: Group, write: Write): string {
  const colon = colonOf(group);
  const side = (bound: Nodes, otherwise: string): string =>
    bound.length === 0 || (bound.length === 1 && isSymbol(bound[0], '-'))
      ? otherwise
      : write(bound);
  const [from, to] = [group.nodes.slice(0, colon), group.nodes.slice(colon + 1)];
  return `array_slice(${list}, ${side(from, '1')}, ${side(to, '-1')})`;
}

/**
 * The place of the one colon in brackets, not counting that of `j.:Int64`. It is -1 where there is
 * no such colon, or for `a ? b : c`.
 */
function colonOf(node: Node | undefined): number {
  if (node?.kind !== 'group' || node.text !== '[') return -1;
  if (node.nodes.some((each) => isSymbol(each, '?'))) return -1;
  const colons = node.nodes.flatMap((each, at) =>
    isSymbol(each, ':') && !isSymbol(node.nodes[at - 1], '.') ? [at] : [],
  );
  const [colon = -1, ...more] = colons;
  return more.length > 0 ? -1 : colon;
}
