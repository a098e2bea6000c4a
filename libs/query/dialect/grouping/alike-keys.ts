import { MillraceError } from '@app/platform';
import { callAt } from '../operands.js';
import { endOf, isSymbol, nameOf, startOf, type Nodes } from '../source-tree.js';

interface Select {
  readonly source: string;
  /** The names of the tables in FROM. */
  readonly tables: ReadonlySet<string>;
  /** True for a SELECT whose keys cannot be written in another way. */
  readonly isAsWritten: boolean;
}

/**
 * Finds the keys of ROLLUP, CUBE and GROUPING SETS that differ in their table's name alone, as
 * `a.k` and `b.k`. The engine makes keys nullable by their names, and takes one for the other.
 * @returns for the text of each such key but the first, how many are before it
 * @throws {MillraceError} INVALID_SQL for keys that cannot be written in another way
 */
export function alikeKeys(
  keys: readonly Nodes[],
  { source, tables, isAsWritten }: Select,
): ReadonlyMap<string, number> {
  const known = new Map<string, Set<string>>();
  const alike = new Map<string, number>();
  for (const key of keys) {
    const name = withoutTables(key, tables);
    const text = source.slice(startOf(key), endOf(key));
    if (name === undefined) continue;
    const texts = known.get(name) ?? new Set();
    known.set(name, texts);
    if (texts.has(text)) continue;
    if (texts.size > 0) {
      if (isAsWritten || !isOperand(key)) throw notTold(text);
      alike.set(text, texts.size);
    }
    texts.add(text);
  }
  return alike;
}

/** Writes a value in a way that the engine does not take for the value itself. */
export const asAnother = (value: string, times: number): string =>
  'identity('.repeat(times) + value + ')'.repeat(times);

/** The text of a key without names of tables; undefined for one that has none. */
function withoutTables(nodes: Nodes, tables: ReadonlySet<string>): string | undefined {
  let isQualified = false;
  const nameless = (within: Nodes): string =>
    within
      .map((node, at) => {
        if (node.kind === 'group') return `${node.text}${nameless(node.nodes)})`;
        const isTable = isSymbol(within[at + 1], '.') && tables.has(nameOf(node) ?? '');
        isQualified ||= isTable;
        return isTable ? '' : (nameOf(node) ?? node.text);
      })
      .join(' ');
  const text = nameless(nodes);
  return isQualified ? text : undefined;
}

/** True for `t.c` and a call, which are found again wherever they stand. */
const isOperand = (key: Nodes): boolean =>
  callAt(key, 0)?.end === key.length ||
  key.every((node, at) => (at % 2 === 1 ? isSymbol(node, '.') : nameOf(node) !== undefined));

const notTold = (key: string): MillraceError =>
  new MillraceError(
    'INVALID_SQL',
    `several keys of ROLLUP, CUBE or GROUPING SETS are called as ${key} is: give them names in a subquery, FROM (SELECT a.k AS k1, b.k AS k2 …)`,
  );
