import { certain } from '@app/platform';
import { quoteIdentifier } from '@app/warehouse';
import { fieldOfElement } from './fields-of-elements.js';
import { checkKeys } from '../names/keys-of-structs.js';
import { fieldOf, type Scope } from './object-shapes.js';
import { isKeyword } from '../operands.js';
import {
  isList,
  isSymbol,
  isWord,
  itemsOf,
  nameOf,
  type Node,
  type Nodes,
} from '../source-tree.js';
import type { ValueTypes } from '../casts/value-types.js';

/** SQL of a field within objects. */
interface WrittenField {
  readonly sql: string;
  /** The index after its name. */
  readonly end: number;
  /** Its end in the statement. */
  readonly behind: number;
}

/** The meaning of names at a place, and the statement of it. */
interface Place {
  readonly source: string;
  readonly select: () => { readonly scope: Scope };
  readonly types: Pick<ValueTypes, 'ofName'>;
}

/**
 * Writes `k.n` with the type of its values if that is known, `k['n']` as `k.n`, and fields of
 * structs in lists.
 * @param end of the operand that begins at `at`
 * @returns undefined if none begins there, or it stays as it is
 */
export function fieldWithin(
  nodes: Nodes,
  at: number,
  end: number,
  { source, select, types }: Place,
): WrittenField | undefined {
  const first = nodes[at];
  const { scope } = select();
  if (!first || scope.places.has(first)) return undefined;
  if (isWord(nodes[at - 1], 'AS') || isSymbol(nodes[at - 1], '.')) return undefined;
  const object = inObject(nodes, at, end, scope);
  if (object || !nodes.slice(at + 1, end).some((node) => keyIn(node) !== undefined)) return object;
  const typeOf = (name: string): string | undefined =>
    scope.elements.has(name) ? undefined : types.ofName(name);
  const element = fieldOfElement(nodes, at, end, { source, typeOf });
  return element && { ...element, behind: endBefore(nodes, element.end) };
}

/** Returns the place behind the last node before `end`. */
const endBefore = (nodes: Nodes, end: number): number =>
  certain(nodes[end - 1], 'node of a field').end;

function inObject(nodes: Nodes, at: number, end: number, scope: Scope): WrittenField | undefined {
  const read = readPath(nodes, at, end);
  const found = read && fieldOf(scope, read.path);
  if (!found || found.keys.length === 0 || found.keys.includes('')) return undefined;
  const { end: to, isElement } = read;
  const { table, column, keys, within, field } = found;
  const path = [...(table === undefined ? [] : [table]), column, ...keys]
    .map(quoteIdentifier)
    .join('.');
  const behind = endBefore(nodes, to);
  // `k.n.:Int64` itself names the type.
  if (field && !isSymbol(nodes[to], '.')) return { sql: field.write(path), end: to, behind };
  if (!scope.sources.some(({ name }) => name === column)) checkKeys(column, keys, within);
  return isElement ? { sql: path, end: to, behind } : undefined;
}

interface Path {
  readonly path: readonly string[];
  /** Tells whether one of its keys is written as an element, `['key']`. */
  readonly isElement: boolean;
  /** The index after it. */
  readonly end: number;
}

function readPath(nodes: Nodes, at: number, end: number): Path | undefined {
  const begun = beginning(nodes, at);
  if (!begun) return undefined;
  const path = [...begun.path];
  let { isElement, end: to } = begun;
  for (; to < end; to += 1) {
    const key = keyIn(nodes[to]);
    const name = isSymbol(nodes[to], '.') && to + 1 < end ? nameOf(nodes[to + 1]) : undefined;
    if (key === undefined && name === undefined) break;
    path.push(certain(key ?? name, 'key or name of a field'));
    if (key === undefined) to += 1;
    else isElement = true;
  }
  return { path, isElement, end: to };
}

/** Reads the beginning of `k['a']['b']`, which the engine prints as `(k['a'])['b']`, and of `k['a'].b`, which it prints as `tupleElement(k['a'], 'b')`. */
function beginning(nodes: Nodes, at: number): Path | undefined {
  const [first, second] = [nodes[at], nodes[at + 1]];
  if (isList(first) && keyIn(second) !== undefined) {
    const path = wholePath(first.nodes);
    return path && { ...path, end: at + 1 };
  }
  if (isWord(first, 'TUPLEELEMENT') && isList(second)) {
    const [of = [], [key, ...more] = []] = itemsOf(second.nodes);
    const path = wholePath(of);
    if (!path?.isElement || key?.kind !== 'text' || more.length > 0) return undefined;
    return { ...path, path: [...path.path, key.value.replaceAll('.', '%2E')], end: at + 2 };
  }
  const name = nameOf(first);
  const isNone = isList(second) || (first?.kind === 'word' && isKeyword(first.text));
  return name === undefined || isNone ? undefined : { path: [name], isElement: false, end: at + 1 };
}

function wholePath(nodes: Nodes): Path | undefined {
  const path = readPath(nodes, 0, nodes.length);
  return path?.end === nodes.length ? path : undefined;
}

/**
 * Reads the key in `['key']` in the engine's form, in which `%2E` stands for a dot within a key.
 */
function keyIn(node: Node | undefined): string | undefined {
  if (node?.kind !== 'group' || node.text !== '[' || node.nodes.length !== 1) return undefined;
  const [only] = node.nodes;
  return only?.kind === 'text' ? only.value.replaceAll('.', '%2E') : undefined;
}
