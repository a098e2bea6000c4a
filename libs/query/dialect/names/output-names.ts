import type { Names } from '../expressions.js';
import type { Clause } from '../queries/select-clauses.js';
import type { SelectItem } from '../queries/select-items.js';
import { itemsOf, type Nodes } from '../source-tree.js';

/** A column of the output, which ORDER BY may name. */
export interface Output {
  readonly names: Names;
  /** The names that come before columns in an expression. */
  readonly within: Names | undefined;
  /**
   * The place of each column, from 1. The places behind an item of several columns, such as `*`,
   * are not known.
   */
  readonly places: ReadonlyMap<string, number>;
}

export function outputOf(
  items: readonly SelectItem[],
  grouped: ReadonlySet<string> | undefined,
): Output {
  const places = new Map<string, number>();
  for (const [at, { name, isMany }] of items.entries()) {
    if (isMany) break;
    if (name !== undefined && !places.has(name)) places.set(name, at + 1);
  }
  const names = namesOf(items);
  const within = grouped && new Map([...names].filter(([name]) => !grouped.has(name)));
  return { names, within, places };
}

/**
 * Finds the expressions behind the names of the output. A name that occurs twice stands for none.
 */
export function namesOf(items: readonly SelectItem[]): Names {
  const names = new Map<string, string>();
  const twice = new Set<string>();
  for (const { name, expression } of items) {
    if (name === undefined) continue;
    if (names.has(name) && names.get(name) !== expression) twice.add(name);
    names.set(name, expression);
  }
  for (const name of twice) names.delete(name);
  return names;
}

/** The names among the keys of GROUP BY; undefined without it. */
export function groupedNames(
  nodes: Nodes,
  clauses: readonly Clause[],
): ReadonlySet<string> | undefined {
  const group = clauses.find(({ word }) => word === 'GROUP');
  if (!group) return undefined;
  const items = itemsOf(nodes.slice(group.from, group.to));
  return new Set(
    items.flatMap(([only, more]) => (only && !more && only.kind !== 'group' ? [only.value] : [])),
  );
}
