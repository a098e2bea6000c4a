import { isSetOperator } from '../queries/select-clauses.js';
import type { Nodes } from '../source-tree.js';
import { columnsOfQuery } from './selected-values.js';

/** A name of this many values has none that is known: each use of the name reads all of them. */
const VALUES_MAX = 100;
const NOTHING_KNOWN: Nodes = [];

/**
 * Finds the columns of several SELECTs, whose values are of a type for all of them: `i` of `SELECT i
 * FROM t UNION ALL SELECT 0.5` has fractions.
 * @returns for each name that the first SELECT gives, the values, as the choice of one.
 */
export function combinedColumns(
  nodes: Nodes,
  found = new Map<string, Nodes[]>(),
): ReadonlyMap<string, readonly Nodes[]> {
  for (const node of nodes) if (node.kind === 'group') combinedColumns(node.nodes, found);
  if (!nodes.some((_, at) => isSetOperator(nodes, at))) return found;
  for (const { name, values } of columnsOfQuery(nodes)) {
    if (name === undefined) continue;
    const known = found.get(name) ?? [];
    known.push(choiceOf(values));
    found.set(name, known);
  }
  return found;
}

/**
 * The meanings of a name of a query's column. The first SELECT of several tells a type also where the
 * others refer to the name itself.
 */
export function meaningsOf(values: readonly Nodes[] = []): readonly Nodes[] | undefined {
  const [first, more] = values;
  if (first === undefined) return undefined;
  return more === undefined ? [first] : [first, choiceOf(values)];
}

function choiceOf(values: readonly Nodes[]): Nodes {
  const place = values[0]?.[0];
  if (!place || values.length > VALUES_MAX) return NOTHING_KNOWN;
  const { start, end } = place;
  const word = { kind: 'word', text: 'coalesce', value: 'coalesce', start, end } as const;
  const comma = { kind: 'symbol', text: ',', value: ',', start, end } as const;
  const nodes = values.flatMap((value, at) => (at === 0 ? value : [comma, ...value]));
  return [word, { kind: 'group', text: '(', nodes, start, end }];
}
