import { certain, MillraceError } from '@app/platform';
import { clausesOf, type Clause } from '../queries/select-clauses.js';
import { isList, type Node, type Nodes } from '../source-tree.js';
import type { OuterColumn } from './outer-columns.js';

/** The text in the place of a name, by the first of the name's nodes, and their number. */
export type Replacements = ReadonlyMap<Node, { readonly text: string; readonly length: number }>;

export const NOTHING: Replacements = new Map();

/** A subquery with NULL in the place of columns. */
export interface Variant {
  /** Holds where all of its columns are null. */
  readonly condition: string;
  readonly nulls: Replacements;
}

/** The values of the rows around a subquery. */
export interface DistinctRows {
  readonly table: string;
  /** The condition that links them to the row around. */
  readonly condition: string;
}

export const columnOf = (columns: readonly OuterColumn[], name: string): OuterColumn =>
  certain(
    columns.find(({ path }) => path.join('.') === name),
    'column of the row around',
  );

/** The one SELECT in brackets, of which the engine prints two pairs behind EXISTS. */
export function selectIn(nodes: Nodes): Nodes {
  const [only, more] = nodes;
  return isList(only) && !more ? selectIn(only.nodes) : nodes;
}

/** FROM of each SELECT that is not within another one of these. */
export const fromsIn = (nodes: Nodes): readonly Nodes[] =>
  clausesOf(selectIn(nodes)).flatMap(({ word, from, to }) =>
    word === 'FROM' ? [selectIn(nodes).slice(from, to)] : [],
  );

export const isPlain = (clauses: readonly Clause[]): boolean =>
  clauses.some(({ word }) => word === 'FROM') &&
  clauses.every(({ word }) => /^(?:SELECT|FROM|WHERE|GROUP|HAVING)$/.test(word));

export const notByEquality = (): MillraceError =>
  new MillraceError(
    'INVALID_SQL',
    'a subquery of aggregates that looks at the outer row is one SELECT with FROM, WHERE and HAVING, and names the outer row there and not further within, unless it compares by = with a column of the same type: join a grouped subquery by its keys',
  );

/** Each column doubles the number of subqueries. */
const COLUMNS_MAX = 3;

/** @throws {MillraceError} INVALID_SQL */
export function checkColumns(count: number): void {
  if (count <= COLUMNS_MAX) return;
  throw new MillraceError(
    'INVALID_SQL',
    `a subquery may look at ${COLUMNS_MAX} columns of the outer row that may be null and that it compares otherwise than by = and AND; give null a value first: FROM (SELECT *, coalesce(n, -1) AS n0 FROM t) AS t`,
  );
}

/** All of them but the empty one, the largest first. */
export const subsetsOf = (paths: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: 2 ** paths.length - 1 }, (_, bits) =>
    paths.filter((__, place) => (((bits + 1) >> place) & 1) === 1),
  ).sort((one, other) => other.length - one.length);
