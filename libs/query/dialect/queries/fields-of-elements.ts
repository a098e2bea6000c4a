import { quoteText, withoutNull } from '@app/warehouse';
import { readElement, readEngineType, typeWithin } from '../../plan/engine-type.js';
import { isList, isSymbol, type Node, type Nodes } from '../source-tree.js';

/** SQL of a value with its type, as known from the columns. */
interface TypedValue {
  readonly sql: string;
  /** The engine's type. */
  readonly type: string;
  /** Tells whether a struct's field is accessed by its key. */
  readonly isField: boolean;
  /** The index after it. */
  readonly end: number;
}

/** The statement of the nodes, and the types of columns by their names. */
interface Typing {
  readonly source: string;
  readonly typeOf: (name: string) => string | undefined;
}

/**
 * Writes `cores[1]['core']` as the field of a struct, if the column is a list of structs. The
 * engine has subscripts only for lists and maps.
 * @param end of the operand that begins at `at`
 * @returns undefined if no such field is accessed
 */
export function fieldOfElement(
  nodes: Nodes,
  at: number,
  end: number,
  typing: Typing,
): TypedValue | undefined {
  const value = typedValue(nodes, at, end, typing);
  return value?.isField ? value : undefined;
}

function typedValue(nodes: Nodes, at: number, end: number, typing: Typing): TypedValue | undefined {
  let value = beginning(nodes, at, end, typing);
  while (value && value.end < end) {
    const next = subscript(value, nodes[value.end], typing.source);
    if (!next) break;
    value = next;
  }
  return value;
}

/** The engine prints `a[1]['b']` as `(a[1])['b']`. */
function beginning(nodes: Nodes, at: number, end: number, typing: Typing): TypedValue | undefined {
  const first = nodes[at];
  if (isList(first)) {
    const within = typedValue(first.nodes, 0, first.nodes.length, typing);
    return within?.end === first.nodes.length ? { ...within, end: at + 1 } : undefined;
  }
  const names: string[] = [];
  let to = at;
  for (; to < end; to += 2) {
    const node = nodes[to];
    if (node?.kind !== 'word' && node?.kind !== 'name') return undefined;
    names.push(node.value);
    if (!isSymbol(nodes[to + 1], '.')) break;
  }
  // The first name may be the table's.
  const type = typing.typeOf(names.join('.')) ?? (names.length > 1 ? typing.typeOf(names.slice(1).join('.')) : undefined); // prettier-ignore
  const sql = typing.source.slice(first?.start, nodes[to]?.end);
  return type === undefined ? undefined : { sql, type, isField: false, end: to + 1 };
}

function subscript(
  { sql, type, isField, end }: TypedValue,
  node: Node | undefined,
  source: string,
): TypedValue | undefined {
  if (node?.kind !== 'group' || node.text !== '[') return undefined;
  const read = readEngineType(withoutNull(type));
  const [key, more] = node.nodes;
  if (read.name === 'Array' && key?.kind !== 'text')
    return { sql: sql + source.slice(node.start, node.end), type: typeWithin(read), isField, end: end + 1 }; // prettier-ignore
  if (read.name !== 'Tuple' || key?.kind !== 'text' || more) return undefined;
  const element = read.parameters
    .map(readElement)
    .find((each) => bareName(each.name) === key.value);
  const field = `tupleElement(${sql}, ${quoteText(key.value)})`;
  return element && { sql: field, type: element.type, isField: true, end: end + 1 };
}

const bareName = (name: string): string =>
  name.trimEnd().replace(/^`(.*)`$/s, (_, quoted: string) => quoted.replace(/\\(.)|``/gs, '$1'));
