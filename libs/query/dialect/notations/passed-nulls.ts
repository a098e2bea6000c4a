import { MillraceError } from '@app/platform';
import { isWord, type Nodes } from '../source-tree.js';

/**
 * @throws {MillraceError} INVALID_SQL for `lag(x) IGNORE NULLS`, which the engine accepts and
 *   ignores.
 */
export function refusePassedNulls(nodes: Nodes, at: number): void {
  const name = nodes[at]?.text ?? '';
  if (!/^(?:lag|lead|nth_value)$/i.test(name)) return;
  if (!isWord(nodes[at + 2], 'IGNORE') || !isWord(nodes[at + 3], 'NULLS')) return;
  throw new MillraceError('INVALID_SQL', `${name} does not pass over nulls: last_value(x) IGNORE NULLS OVER (ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) is the last value before that is none`); // prettier-ignore
}
