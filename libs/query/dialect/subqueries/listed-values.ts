import { nameOf, type Node, type Nodes } from '../source-tree.js';
import { isCondition } from '../queries/conditions.js';
import { listedOfNothing, orOfNothing, type Aggregated } from './sums-of-nothing.js';

/** Writes an expression in the engine's SQL, with expressions in the place of names. */
type WriteValue = (nodes: Nodes, names?: ReadonlyMap<string, string>) => string;

/**
 * The only item of a subquery as a list of one element, in place of what it selects and of HAVING,
 * which would leave no row.
 */
export function listOfValue(listed: Aggregated, write: WriteValue): string {
  // Only an aggregate makes one row of all.
  const value = listed.isExists && !listed.having ? 'count() >= 0' : valueOf(listed, write);
  return `[${value}] AS listed`;
}

/**
 * A subquery that is one value, with the value that it has where it finds no rows.
 * @param brackets around it
 * @param subquery in its brackets
 * @param write writes an expression with the aggregates of no rows
 */
export function subqueryOf(
  brackets: Node | undefined,
  subquery: string,
  write: WriteValue,
): string {
  const listed = brackets?.kind === 'group' ? listedOfNothing(brackets) : undefined;
  if (!listed) return orOfNothing(brackets, subquery);
  const names = new Map([...(listed.within ?? [])].map(([name, nodes]) => [name, write(nodes)]));
  const value = `arrayElement(arrayPushBack(${subquery}, ${valueOf(listed, write, names)}), 1)`;
  return listed.isExists ? `(${value} = 1)` : value;
}

function valueOf(
  { item, alias, having, isExists }: Aggregated,
  write: WriteValue,
  names?: ReadonlyMap<string, string>,
): string {
  if (isExists && !having) return '1';
  const value = isCondition(item) ? `CAST(${write(item, names)}, 'Bool')` : write(item, names);
  if (!having) return value;
  const name = nameOf(alias);
  const condition = write(having, name === undefined ? undefined : new Map([[name, value]]));
  return isExists ? `ifNull(${condition}, 0)` : `if(${condition}, ${value}, NULL)`;
}
