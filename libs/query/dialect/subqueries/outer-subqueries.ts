import { certain, MillraceError } from '@app/platform';
import { clausesOf, type Clause } from '../queries/select-clauses.js';
import { isList, isQuery, type Node, type Nodes } from '../source-tree.js';
import type { OuterColumn } from './outer-columns.js';
import { aggregatedOf, isAggregated } from './sums-of-nothing.js';

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

/** True for brackets with a query in them, at any depth. */
export const hasQuery = (node: Node): boolean =>
  isList(node) && (isQuery(node.nodes) || node.nodes.some(hasQuery));

const UNSTEADY =
  /\b(?:LIMIT|OFFSET)\b|\b(?:\w*rand\w*|\w*uuid\w*|generate\w*|row_?number\w*|any|any_?last|any_value|arbitrary|first(?:_value)?|last(?:_value)?|now64|sample)\s*\(/i;

/**
 * Rows that are asked for twice must be the same.
 * @throws {MillraceError} INVALID_SQL
 */
export function checkSteady(rows: string): void {
  if (UNSTEADY.test(rows))
    throw new MillraceError(
      'INVALID_SQL',
      'a subquery of aggregates looks at rows that may be others when they are asked for twice (LIMIT, random values, any): compare by = with a column of the same type, or join a grouped subquery by its keys',
    );
}

export const isPlain = (clauses: readonly Clause[]): boolean =>
  clauses.some(({ word }) => word === 'FROM') &&
  clauses.every(({ word }) => /^(?:SELECT|FROM|WHERE|GROUP|HAVING)$/.test(word));

export const notByEquality = (): MillraceError =>
  new MillraceError(
    'INVALID_SQL',
    'a subquery of aggregates that looks at the outer row is one SELECT with FROM, WHERE and HAVING, and names the outer row there and not further within, unless it compares by = with a column of the same type: join a grouped subquery by its keys',
  );

/**
 * A subquery of aggregates in FROM has a row where it finds none, which the engine leaves out.
 * @throws {MillraceError} INVALID_SQL
 */
export function checkDerived(select: Nodes, isExists: boolean): void {
  if (aggregatedOf(select, isExists)?.within) return;
  if (readsOneRow(select))
    throw new MillraceError(
      'INVALID_SQL',
      'a subquery reads from aggregates that look at the outer row: write the aggregate in the subquery itself, and what is asked of it behind HAVING, as in EXISTS (SELECT 1 FROM u WHERE u.k = t.k HAVING count(*) = 0)',
    );
}

/** True for a SELECT that reads from a query of aggregates alone, at any depth. */
function readsOneRow(select: Nodes): boolean {
  const from = clausesOf(select).find(({ word }) => word === 'FROM');
  const tables = from ? select.slice(from.from, from.to).filter(isList) : [];
  return tables.some(({ nodes }) => {
    const clauses = isQuery(nodes) ? clausesOf(nodes) : [];
    const list = clauses.find(({ word }) => word === 'SELECT');
    const isGrouped = clauses.some(({ word }) => word === 'GROUP');
    const isAggregate = list && !isGrouped && isAggregated(nodes.slice(list.from, list.to));
    return isAggregate === true || readsOneRow(isQuery(nodes) ? selectIn(nodes) : nodes);
  });
}

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
