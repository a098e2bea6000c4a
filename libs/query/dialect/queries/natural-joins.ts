import { MillraceError } from '@app/platform';
import { namedColumns, type TableDescription } from '../../catalog.js';
import { isList, isQuery, isSymbol, isWord, itemsOf, type Nodes } from '../source-tree.js';
import { clausesOf } from './select-clauses.js';

const TIME = '_timestamp';

/**
 * A NATURAL JOIN of two streams would be by the time of their rows too, and find nothing.
 * @param from what stands behind FROM.
 * @throws {MillraceError} INVALID_SQL
 */
export function checkNaturalJoin(
  from: Nodes,
  table: (name: string) => TableDescription | undefined,
): void {
  if (!from.some((node) => isWord(node, 'NATURAL'))) return;
  const columns = tablesOf(from, table);
  const timed = columns.filter((names) => names.includes(TIME));
  if (timed.length < 2) return;
  const [first = [], ...others] = timed;
  const shared = first.filter((name) => name !== TIME && others.every((names) => names.includes(name))); // prettier-ignore
  const using = `USING (${shared.length === 0 ? 'the columns' : shared.join(', ')})`;
  throw new MillraceError('INVALID_SQL', `NATURAL JOIN would join by ${TIME} too: JOIN … ${using}`); // prettier-ignore
}

/** Gives the names of the columns of each table and each subquery. */
function tablesOf(
  from: Nodes,
  table: (name: string) => TableDescription | undefined,
): readonly (readonly string[])[] {
  return from.flatMap((node) => {
    if (isList(node)) return isQuery(node.nodes) ? [columnsOf(node.nodes, table)] : [];
    const known = node.kind === 'word' || node.kind === 'name' ? table(node.value) : undefined;
    return known ? [namedColumns(known).map(({ name }) => name)] : [];
  });
}

function columnsOf(
  query: Nodes,
  table: (name: string) => TableDescription | undefined,
): readonly string[] {
  const [list, from] = ['SELECT', 'FROM'].map((word) => {
    const clause = clausesOf(query).find((each) => each.word === word);
    return clause ? query.slice(clause.from, clause.to) : [];
  });
  return itemsOf(list ?? []).flatMap((item) => {
    const last = item.at(-1);
    if (isSymbol(last, '*')) return tablesOf(from ?? [], table).flat();
    return last && last.kind !== 'group' ? [last.value] : [];
  });
}
