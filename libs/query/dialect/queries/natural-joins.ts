import { MillraceError } from '@app/platform';
import { namedColumns, type TableDescription } from '../../catalog.js';
import { isWord, type Nodes } from '../source-tree.js';

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
  const columns = from.flatMap((node) => {
    const known = node.kind === 'word' || node.kind === 'name' ? table(node.value) : undefined;
    return known ? [namedColumns(known).map(({ name }) => name)] : [];
  });
  const timed = columns.filter((names) => names.includes(TIME));
  if (timed.length < 2) return;
  const [first = [], ...others] = timed;
  const shared = first.filter((name) => name !== TIME && others.every((names) => names.includes(name))); // prettier-ignore
  const using = `USING (${shared.length === 0 ? 'the columns' : shared.join(', ')})`;
  throw new MillraceError('INVALID_SQL', `NATURAL JOIN would join by ${TIME} too: JOIN … ${using}`); // prettier-ignore
}
