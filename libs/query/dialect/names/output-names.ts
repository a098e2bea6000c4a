import type { Names } from '../expressions.js';
import type { Clause } from '../queries/select-clauses.js';
import type { SelectItem } from '../queries/select-items.js';
import { isSymbol, isWord, itemsOf, type Nodes } from '../source-tree.js';
import { fromOf } from './table-names.js';

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

/** The names that GROUP BY may use. */
export interface Keys {
  /** See `namesOfJoined`. */
  readonly columns: Names;
  /** See `groupedNames`. */
  readonly grouped: ReadonlySet<string> | undefined;
}

export function keysOf(
  nodes: Nodes,
  clauses: readonly Clause[],
  items: readonly SelectItem[],
): Keys {
  const columns = namesOfJoined(nodes, clauses, items);
  return { columns, grouped: groupedNames(nodes, clauses, columns) };
}

/**
 * Finds the columns of joined tables in the SELECT list, as `t.name AS name`. In GROUP BY the name
 * alone is that column, although other tables may have one of the same name. It is not so where
 * USING makes one column of both.
 */
function namesOfJoined(
  nodes: Nodes,
  clauses: readonly Clause[],
  items: readonly SelectItem[],
): Names {
  const body = fromOf(nodes, clauses);
  const isJoined = body.some((node) => isWord(node, 'JOIN') || isSymbol(node, ','));
  if (!isJoined || body.some((node) => isWord(node, 'USING') || isWord(node, 'NATURAL')))
    return new Map();
  return namesOf(items.filter(({ isOfTable }) => isOfTable));
}

/**
 * The names among the keys of GROUP BY that are columns of the tables; undefined without it.
 * @param columns names there that are columns of the SELECT list.
 */
function groupedNames(
  nodes: Nodes,
  clauses: readonly Clause[],
  columns: Names,
): ReadonlySet<string> | undefined {
  const group = clauses.find(({ word }) => word === 'GROUP');
  if (!group) return undefined;
  const items = itemsOf(nodes.slice(group.from, group.to));
  const names = items.flatMap(([only, more]) =>
    only && !more && only.kind !== 'group' ? [only.value] : [],
  );
  return new Set(names.filter((name) => !columns.has(name)));
}
