import { MillraceError } from '@app/platform';
import type { Rewritten, Write } from '../notations/rewriting.js';
import { isList, isWord, itemsOf, type Nodes } from '../source-tree.js';

const ENDS = /^(?:HAVING|ORDER|LIMIT|OFFSET|FETCH|WINDOW|QUALIFY|UNION|INTERSECT|EXCEPT|SETTINGS|WITH)$/i; // prettier-ignore
const SETS_MAX = 256;

/**
 * `GROUP BY a, ROLLUP (b, c)`: keys beside ROLLUP, CUBE or GROUPING SETS, or several of those,
 * which the engine accepts only alone. They are written as the sets of one GROUPING SETS.
 * @param add limits the length of the result, because each key stands in up to {@link SETS_MAX}
 *   sets
 * @throws {MillraceError} INVALID_SQL for too many sets
 */
export function groupingSets(
  nodes: Nodes,
  at: number,
  write: Write,
  add: (text: string) => string,
): Rewritten | undefined {
  if (!isWord(nodes[at], 'GROUP') || !isWord(nodes[at + 1], 'BY')) return undefined;
  const behind = nodes.findIndex((node, place) => place > at && node.kind === 'word' && ENDS.test(node.text)); // prettier-ignore
  const end = behind === -1 ? nodes.length : behind;
  const items = itemsOf(nodes.slice(at + 2, end));
  if (items.length < 2 || !items.some((item) => setsOf(item) !== undefined)) return undefined;
  const all = items.reduce<readonly (readonly Nodes[])[]>(
    (sets, item) => product(sets, setsOf(item) ?? [[item]]),
    [[]],
  );
  const keys = new Map<Nodes, string>();
  const keyOf = (key: Nodes): string => {
    const known = keys.get(key) ?? write(key);
    keys.set(key, known);
    return known;
  };
  const written = all.map((set) => `(${set.map((key) => add(keyOf(key))).join(', ')})`);
  return { text: `GROUP BY GROUPING SETS (${written.join(', ')})`, end };
}

type Sets = readonly (readonly Nodes[])[];

/** The sets of keys for an item; undefined for a single key. */
function setsOf(item: Nodes): Sets | undefined {
  const [word, list, sets] = item;
  if (isWord(word, 'GROUPING') && isWord(list, 'SETS') && isList(sets) && item.length === 3)
    return itemsOf(sets.nodes).flatMap((each) => setsOf(each) ?? [keysOf(each)]);
  if (!isList(list) || item.length !== 2) return undefined;
  const keys = itemsOf(list.nodes).map(keysOf);
  if (isWord(word, 'ROLLUP'))
    return [...keys, []].map((_, at) => keys.slice(0, keys.length - at).flat());
  return isWord(word, 'CUBE')
    ? keys.reduce<Sets>((all, key) => product(all, [key, []]), [[]])
    : undefined;
}

/** Several keys in brackets count as one step. */
function keysOf(item: Nodes): readonly Nodes[] {
  const [only, more] = item;
  return isList(only) && !more ? itemsOf(only.nodes) : [item];
}

function product(left: Sets, right: Sets): Sets {
  if (left.length * right.length > SETS_MAX)
    throw new MillraceError('INVALID_SQL', `GROUP BY has more than ${SETS_MAX} sets of keys`);
  return left.flatMap((a) => right.map((b) => [...a, ...b]));
}
