import { quoteIdentifier } from '@app/warehouse';
import type { Rewritten, Write } from '../notations/rewriting.js';
import { isList, isQuery, isSymbol, isWord, type Group, type Nodes } from '../source-tree.js';

/** The lists that one SELECT unnests, and which of them a call is of. */
interface Zipped {
  readonly lists: readonly Group[];
  readonly place: number;
}

export type ZippedLists = ReadonlyMap<Group, Zipped>;

const ENDS =
  /^(?:FROM|WHERE|PREWHERE|GROUP|HAVING|WINDOW|QUALIFY|ORDER|LIMIT|UNION|EXCEPT|INTERSECT|SELECT)$/i;

/** Finds where a SELECT unnests several lists: they run beside each other, and the engine would pair each with each. */
export function zippedLists(
  nodes: Nodes,
  source: string,
  found = new Map<Group, Zipped>(),
): ZippedLists {
  for (const [at, node] of nodes.entries()) {
    if (node.kind === 'group') zippedLists(node.nodes, source, found);
    if (!isWord(node, 'SELECT') || isSymbol(nodes[at - 1], '.')) continue;
    const length = nodes.slice(at + 1).findIndex((each, index) => each.kind === 'word' && ENDS.test(each.text) && !isSymbol(nodes[at + index], '.')); // prettier-ignore
    const calls = unnested(nodes.slice(at + 1, length === -1 ? undefined : at + 1 + length));
    const written = ({ start, end }: Group): string => source.slice(start, end);
    const texts = [...new Set(calls.map(written))];
    if (texts.length < 2) continue;
    const lists = texts.flatMap((text) => calls.find((call) => written(call) === text) ?? []);
    for (const call of calls) found.set(call, { lists, place: texts.indexOf(written(call)) + 1 });
  }
  return found;
}

/** The brackets of `unnest(…)` in the select list, subqueries left out. */
function unnested(nodes: Nodes): readonly Group[] {
  return nodes.flatMap((node, at) => {
    if (node.kind !== 'group' || isQuery(node.nodes)) return [];
    return isWord(nodes[at - 1], 'UNNEST') && isList(node) ? [node] : unnested(node.nodes);
  });
}

/** Writes one of several `unnest(…)` as its part of all of them. */
export function zippedList(
  zipped: ZippedLists,
  nodes: Nodes,
  at: number,
  write: Write,
): Rewritten | undefined {
  const list = nodes[at + 1];
  const part = isWord(nodes[at], 'UNNEST') && isList(list) ? zipped.get(list) : undefined;
  if (!part || !isList(list)) return undefined;
  const lists = part.lists.map((each) => write(each.nodes)).join(', ');
  const text = `tupleElement(arrayJoin(arrayZipUnaligned(${lists})), ${part.place})`;
  const [before, behind] = [nodes[at - 1], nodes[at + 2]];
  const isWhole = isSymbol(before, ',') || isWord(before, 'SELECT') || isWord(before, 'DISTINCT');
  const isUnnamed = behind === undefined || isSymbol(behind, ',') || ENDS.test(behind.text);
  const name = isWhole && isUnnamed ? ` AS ${quoteIdentifier(`unnest(${write(list.nodes)})`)}` : '';
  return { text: text + name, end: at + 2 };
}
