import { MillraceError } from '@app/platform';
import { quoteIdentifier } from '@app/warehouse';
import { isList, isSymbol, isWord, itemsOf, type Node, type Nodes } from '../source-tree.js';
import { engineType } from './standard-type-names.js';

/** A type in the notation of other systems. */
interface WrittenType {
  /** The type in the engine's notation. */
  readonly text: string;
  /** Index behind it. */
  readonly end: number;
  /** Tells whether the engine cannot read it as it was written. */
  readonly isForeign: boolean;
}

/** The limit of nested types. */
const NESTED_MAX = 64;
const OF_LISTS = /^(?:LIST|ARRAY)$/i;
const OF_STRUCTS = /^(?:STRUCT|ROW)$/i;
/** Names of several words. The engine can read some of them. */
const LONG_NAMES: readonly (readonly [words: readonly string[], name: string])[] = [
  [['NATIONAL', 'CHARACTER', 'VARYING'], 'VARCHAR'],
  [['NATIONAL', 'CHAR', 'VARYING'], 'VARCHAR'],
  [['NATIONAL', 'CHARACTER'], 'VARCHAR'],
  [['NATIONAL', 'CHAR'], 'VARCHAR'],
  [['NCHAR', 'VARYING'], 'VARCHAR'],
  [['CHARACTER', 'VARYING'], ''],
  [['CHAR', 'VARYING'], ''],
  [['DOUBLE', 'PRECISION'], ''],
];

/** Reads the type that begins there: lists, structs and maps of others, and names of several words. */
export function writtenType(nodes: Nodes, at: number, source: string): WrittenType | undefined {
  const base = baseOf(nodes, at, source);
  if (!base) return undefined;
  let { text, end, isForeign } = base;
  for (let lists = 0; ; lists += 1) {
    const next = nodes[end];
    const isBracket =
      next?.kind === 'group' && next.text === '[' && isLength(next.nodes, nodes, at);
    if (!isBracket && !isWord(next, 'ARRAY')) return { text, end, isForeign };
    if (lists === NESTED_MAX)
      throw refused(`a type has more than ${NESTED_MAX} lists within one another`);
    text = `Array(${nullable(text)})`;
    end += 1;
    isForeign = true;
  }
}

/** `[]`, or `[3]`. After `x::type`, `[3]` is an element of the value instead. */
const isLength = (length: Nodes, nodes: Nodes, at: number): boolean =>
  length.length === 0 ||
  (length.length === 1 && length[0]?.kind === 'number' && !isSymbol(nodes[at - 1], '::'));

const nullable = (type: string): string => {
  const name = engineType(type);
  return /^(?:Array|Map|Tuple|Nullable)\(|^JSON\b/i.test(name) ? name : `Nullable(${name})`;
};

function baseOf(nodes: Nodes, at: number, source: string): WrittenType | undefined {
  const [name, next] = [nodes[at], nodes[at + 1]];
  if (name?.kind !== 'word') return undefined;
  if (OF_LISTS.test(name.text)) return withinBrackets(nodes, at, source, listOf);
  if (OF_STRUCTS.test(name.text)) return withinBrackets(nodes, at, source, structOf);
  if (isWord(name, 'MAP')) return withinBrackets(nodes, at, source, mapOf);
  const zoned = zonedType(nodes, at);
  if (zoned) return zoned;
  const long = LONG_NAMES.find(([words]) => words.every((word, i) => isWord(nodes[at + i], word)));
  const behind = at + (long?.[0].length ?? 1);
  const end = isList(nodes[behind]) && nodes[behind].start === nodes[behind - 1]?.end ? behind + 1 : behind; // prettier-ignore
  const isGap = !long && isList(next) && end === behind;
  if (isGap) return undefined;
  if (long && long[1] !== '') return { text: long[1], end, isForeign: true };
  return { text: source.slice(name.start, nodes[end - 1]?.end), end, isForeign: false };
}

/** `TIMESTAMP(3) WITH TIME ZONE` and its like. */
function zonedType(nodes: Nodes, at: number): WrittenType | undefined {
  const isTimestamp = isWord(nodes[at], 'TIMESTAMP');
  if (!isTimestamp && !isWord(nodes[at], 'TIME')) return undefined;
  const list = nodes[at + 1];
  const behind = isList(list) ? at + 2 : at + 1;
  const isWithout = isWord(nodes[behind], 'WITHOUT');
  if (!isWithout && !isWord(nodes[behind], 'WITH')) return undefined;
  if (!isWord(nodes[behind + 1], 'TIME') || !isWord(nodes[behind + 2], 'ZONE')) return undefined;
  if (!isTimestamp && !isWithout)
    throw refused('a time of day has no zone here: CAST(x AS TIME), and a TIMESTAMPTZ has one');
  const digits = isList(list) ? `(${list.nodes.map(({ text }) => text).join('')})` : '';
  const name = isTimestamp ? (isWithout ? 'TIMESTAMP' : 'TIMESTAMPTZ') : 'TIME';
  return { text: `${name}${digits}`, end: behind + 3, isForeign: true };
}

type Within = (items: readonly Nodes[], source: string) => string | undefined;

/** `LIST(t)`, `ARRAY<t>`, `STRUCT(a t)`, `MAP<k, v>`. */
function withinBrackets(
  nodes: Nodes,
  at: number,
  source: string,
  write: Within,
): WrittenType | undefined {
  const list = nodes[at + 1];
  if (isList(list)) {
    // The engine's own `Array(Nullable(String))` and `Map(String, Int64)` stay as they are.
    const isOwn = /^(?:Array|Map)$/.test(nodes[at]?.text ?? '');
    const text = isOwn ? undefined : write(itemsOf(list.nodes), source);
    return text === undefined ? undefined : { text, end: at + 2, isForeign: true };
  }
  if (!isSymbol(list, '<')) return undefined;
  const end = closingAngle(nodes, at + 1);
  if (end === undefined) return undefined;
  const text = write(itemsWithin(nodes.slice(at + 2, end)), source);
  return text === undefined ? undefined : { text, end: end + 1, isForeign: true };
}

const depthBy = (node: Node): number =>
  node.kind !== 'symbol' ? 0 : /^<+$/.test(node.text) ? node.text.length : /^>+$/.test(node.text) ? -node.text.length : 0; // prettier-ignore

/**
 * Looks no further than the longest possible type, because a statement may begin many types and end
 * none.
 */
function closingAngle(nodes: Nodes, at: number): number | undefined {
  let depth = 0;
  for (let end = at; end < nodes.length; end += 1) {
    const node = nodes[end] as Node;
    depth += depthBy(node);
    if (depth === 0) return end;
    const isOfType = node.kind === 'symbol' ? /^(?:[,:]|<+|>+)$/.test(node.text) : node.kind !== 'text'; // prettier-ignore
    if (!isOfType || depth > NESTED_MAX) return undefined;
  }
  return undefined;
}

/** The items between commas that are not within angle brackets. */
function itemsWithin(nodes: Nodes): readonly Nodes[] {
  const items: Node[][] = [[]];
  let depth = 0;
  for (const node of nodes) {
    depth += depthBy(node);
    if (depth === 0 && isSymbol(node, ',')) items.push([]);
    else items.at(-1)?.push(node);
  }
  return items;
}

function whole(nodes: Nodes, source: string): string | undefined {
  const type = writtenType(nodes, 0, source);
  return type?.end === nodes.length ? engineType(type.text) : undefined;
}

const listOf: Within = ([element, more], source) => {
  const type = element && more === undefined ? whole(element, source) : undefined;
  return type === undefined ? undefined : `Array(${nullable(type)})`;
};

const mapOf: Within = ([key, value, more], source) => {
  if (!key || !value || more) return undefined;
  const [of, to] = [whole(key, source), whole(value, source)];
  return of === undefined || to === undefined ? undefined : `Map(${of}, ${nullable(to)})`;
};

const structOf: Within = (items, source) => {
  const fields = items.map(([name, ...rest]) => {
    const isNamed = name?.kind === 'word' || name?.kind === 'name';
    const type = whole(isSymbol(rest[0], ':') ? rest.slice(1) : rest, source);
    return isNamed && type !== undefined ? `${quoteIdentifier(name.value)} ${nullable(type)}` : undefined; // prettier-ignore
  });
  return fields.includes(undefined) ? undefined : `Tuple(${fields.join(', ')})`;
};

export const refused = (problem: string): MillraceError =>
  new MillraceError('INVALID_SQL', problem);
