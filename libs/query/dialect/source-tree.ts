import { certain } from '@app/platform';
import type { Token } from '../search/statement-tokens.js';

/** A piece of a statement without nested pieces. */
export interface Leaf {
  readonly kind: Token['kind'];
  readonly text: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** A pair of brackets with its content. */
export interface Group {
  readonly kind: 'group';
  /** The bracket that opens it. */
  readonly text: string;
  readonly nodes: readonly Node[];
  readonly start: number;
  readonly end: number;
}

export type Node = Leaf | Group;
export type Nodes = readonly Node[];

const CLOSES: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

interface Open {
  readonly token: Token;
  readonly nodes: Node[];
}

/** The engine's parser has this limit of nesting. */
const DEPTH_MAX = 1000;

/** @returns undefined if brackets are not paired, or nested too deeply. */
export function treeOf(tokens: readonly Token[]): Nodes | undefined {
  const top: Node[] = [];
  const path: Open[] = [];
  for (const token of tokens) {
    const nodes = path.at(-1)?.nodes ?? top;
    const { kind, text, value, start, end } = token;
    if (path.length > DEPTH_MAX) return undefined;
    if (kind === 'symbol' && Object.hasOwn(CLOSES, text)) path.push({ token, nodes: [] });
    else if (kind === 'symbol' && /^[)\]}]$/.test(text)) {
      const open = path.pop();
      if (!open || CLOSES[open.token.text] !== text) return undefined;
      (path.at(-1)?.nodes ?? top).push({
        kind: 'group',
        text: open.token.text,
        nodes: open.nodes,
        start: open.token.start,
        end,
      });
    } else nodes.push({ kind, text, value, start, end });
  }
  return path.length > 0 ? undefined : top;
}

export const isWord = (node: Node | undefined, text: string): boolean =>
  node?.kind === 'word' && node.text.toUpperCase() === text;

export const isSymbol = (node: Node | undefined, text: string): boolean =>
  node?.kind === 'symbol' && node.text === text;

/** Gives the name that a node is, written with quotes or without. */
export const nameOf = (node: Node | undefined): string | undefined =>
  node?.kind === 'word' || node?.kind === 'name' ? node.value : undefined;

export const isList = (node: Node | undefined): node is Group =>
  node?.kind === 'group' && node.text === '(';

/** Names with dots between them; undefined for anything else. */
export function pathOf(nodes: Nodes): readonly string[] | undefined {
  const isPath = nodes.every((node, at) =>
    at % 2 === 0 ? nameOf(node) !== undefined : isSymbol(node, '.'),
  );
  return isPath && nodes.length % 2 === 1
    ? nodes.flatMap((node, at) => (at % 2 === 0 ? (nameOf(node) ?? []) : []))
    : undefined;
}

/** Gives the items between commas, without the commas. */
export function itemsOf(nodes: Nodes): readonly Nodes[] {
  const items: Node[][] = [[]];
  for (const node of nodes) {
    if (isSymbol(node, ',')) items.push([]);
    else items.at(-1)?.push(node);
  }
  return nodes.length === 0 ? [] : items;
}

/** One of the items, which exists. */
export const itemAt = (items: readonly Nodes[], at: number): Nodes =>
  certain(items[at], `item ${at} of a list`);

export const isNameLike = (node: Node | undefined): boolean => nameOf(node) !== undefined;

/** Tells whether a name, or a word, stands there at any depth. */
export const hasName = (nodes: Nodes): boolean =>
  nodes.some((node) => (node.kind === 'group' ? hasName(node.nodes) : isNameLike(node)));

export const startOf = (nodes: Nodes): number => nodes[0]?.start ?? 0;
export const endOf = (nodes: Nodes): number => nodes.at(-1)?.end ?? 0;

const SELECTS = /^(?:SELECT|WITH|VALUES)$/i;

/** True for a SELECT, or several that are combined. */
export function isQuery(nodes: Nodes): boolean {
  const [first] = nodes;
  if (first?.kind === 'word') return SELECTS.test(first.text) && nodes.length > 1;
  if (!isList(first) || !isQuery(first.nodes)) return false;
  return nodes.length === 1 || /^(?:UNION|INTERSECT|EXCEPT)$/i.test(nodes[1]?.text ?? '');
}
