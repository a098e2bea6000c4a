import type { Clause } from '../queries/select-clauses.js';
import type { Scope } from '../queries/object-shapes.js';
import { isSymbol, isWord, nameOf, type Nodes } from '../source-tree.js';

/** The nodes behind the word FROM of a SELECT; none without it. */
export function fromOf(nodes: Nodes, clauses: readonly Clause[]): Nodes {
  const from = clauses.find(({ word }) => word === 'FROM');
  return from ? nodes.slice(from.from, from.to) : [];
}

/** The names of the tables in FROM. */
export function tablesOf(nodes: Nodes, clauses: readonly Clause[]): ReadonlySet<string> {
  const body = fromOf(nodes, clauses);
  const names = new Set<string>();
  for (const [at, node] of body.entries()) {
    if (node.kind !== 'word' && node.kind !== 'name') continue;
    const before = body[at - 1];
    const begins = at === 0 || isSymbol(before, ',') || isWord(before, 'JOIN');
    const isNamed = isWord(body[at + 1], 'AS');
    if (isWord(before, 'AS') || (begins && !isNamed)) names.add(node.value);
  }
  return names;
}

/** Tells whether a SELECT reads tables alone, and no query. */
export const isOfTables = ({ sources, places, queries }: Scope): boolean =>
  sources.length > 0 &&
  sources.length === places.size &&
  [...places].every((place) => !queries.has(nameOf(place) ?? ''));
