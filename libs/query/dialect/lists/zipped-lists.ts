import { MillraceError } from '@app/platform';
import { quoteIdentifier } from '@app/warehouse';
import type { Rewritten, Write } from '../notations/rewriting.js';
import { isList, isQuery, isSymbol, isWord, type Group, type Nodes } from '../source-tree.js';
import type { WrittenLength } from '../written-length.js';

/** The limit of lists: each list is written once for each of them. */
const LISTS_MAX = 16;

/** The lists that one SELECT unnests, and the place of a call among them. */
interface Zipped {
  readonly lists: readonly Group[];
  readonly place: number;
  readonly isColumn: boolean;
}

export type ZippedLists = ReadonlyMap<Group, Zipped>;

const ENDS =
  /^(?:FROM|WHERE|PREWHERE|GROUP|HAVING|WINDOW|QUALIFY|ORDER|LIMIT|UNION|EXCEPT|INTERSECT|SELECT)$/i;
const NEXT = /^(?:UNION|EXCEPT|INTERSECT|SELECT)$/i;

/**
 * Finds where a SELECT unnests several lists. Standard SQL unnests them side by side, and the
 * engine would combine each element with each. The same call in GROUP BY and ORDER BY is the same
 * column.
 * @throws {MillraceError} INVALID_SQL for a further list in GROUP BY or ORDER BY, and for a list in
 * WHERE.
 */
export function zippedLists(
  nodes: Nodes,
  source: string,
  found = new Map<Group, Zipped>(),
): ZippedLists {
  for (const [at, node] of nodes.entries()) {
    if (node.kind === 'group') zippedLists(node.nodes, source, found);
    if (!isWord(node, 'SELECT') || isSymbol(nodes[at - 1], '.')) continue;
    const clauses = nodes.slice(at + 1);
    const calls = unnested(clauses.slice(0, clauseEnd(clauses)));
    const written = ({ start, end }: Group): string => source.slice(start, end);
    const lists = new Map(calls.map((call) => [written(call), call]));
    if (lists.size < 2) continue;
    if (lists.size > LISTS_MAX) throw refused(`one SELECT unnests up to ${LISTS_MAX} lists`);
    const texts = [...lists.keys()];
    const all = [...lists.values()];
    const note = (call: Group, isColumn: boolean): void => {
      const place = texts.indexOf(written(call)) + 1;
      if (place > 0) found.set(call, { lists: all, place, isColumn });
    };
    for (const call of calls) note(call, true);
    for (const [word, body] of clausesBehind(clauses)) {
      if (/^(?:GROUP|ORDER)$/.test(word)) for (const call of unnested(body)) note(call, false);
      else if (/WHERE$/.test(word) && unnested(body).length > 0)
        throw refused('WHERE is of the rows before lists are unnested; unnest them in an inner SELECT'); // prettier-ignore
    }
  }
  return found;
}

const refused = (message: string): MillraceError => new MillraceError('INVALID_SQL', message);

/** The place where the text before the next clause ends. */
function clauseEnd(nodes: Nodes): number {
  const end = nodes.findIndex((each, at) => each.kind === 'word' && ENDS.test(each.text) && !isSymbol(nodes[at - 1], '.')); // prettier-ignore
  return end === -1 ? nodes.length : end;
}

/**
 * Yields the words of the clauses after a select list, with their content, up to the next SELECT.
 */
function clausesBehind(nodes: Nodes): readonly (readonly [word: string, body: Nodes])[] {
  const clauses: [string, Nodes][] = [];
  let at = clauseEnd(nodes);
  while (at < nodes.length && !NEXT.test(nodes[at]?.text ?? '')) {
    const rest = nodes.slice(at + 1);
    const end = clauseEnd(rest);
    clauses.push([nodes[at]?.text.toUpperCase() ?? '', rest.slice(0, end)]);
    at += 1 + end;
  }
  return clauses;
}

/** The brackets of `unnest(…)` in the select list, except those in subqueries. */
function unnested(nodes: Nodes): readonly Group[] {
  return nodes.flatMap((node, at) => {
    if (node.kind !== 'group' || isQuery(node.nodes)) return [];
    return isWord(nodes[at - 1], 'UNNEST') && isList(node) ? [node] : unnested(node.nodes);
  });
}

/** Writes one of several `unnest(…)` as its element of the combined list. */
export function zippedList(
  zipped: ZippedLists,
  nodes: Nodes,
  at: number,
  write: Write,
  length: WrittenLength,
): Rewritten | undefined {
  const list = nodes[at + 1];
  const zip = isWord(nodes[at], 'UNNEST') && isList(list) ? zipped.get(list) : undefined;
  if (!zip || !isList(list)) return undefined;
  const lists = zip.lists.map((each) => write(each.nodes)).join(', ');
  const text = length.add(`tupleElement(arrayJoin(arrayZipUnaligned(${lists})), ${zip.place})`);
  if (!zip.isColumn) return { text, end: at + 2 };
  const [before, behind] = [nodes[at - 1], nodes[at + 2]];
  const isWhole = isSymbol(before, ',') || isWord(before, 'SELECT') || isWord(before, 'DISTINCT');
  const isUnnamed = behind === undefined || isSymbol(behind, ',') || ENDS.test(behind.text);
  const name = isWhole && isUnnamed ? ` AS ${quoteIdentifier(`unnest(${write(list.nodes)})`)}` : '';
  return { text: text + name, end: at + 2 };
}
