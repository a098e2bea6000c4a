import { MillraceError } from '@app/platform';
import { isWord, type Nodes } from '../source-tree.js';
import type { Scope } from './object-shapes.js';

const TIME = '_timestamp';

/**
 * Refuses a NATURAL JOIN of two streams, or of queries with their rows. It would also compare the
 * time of the rows, and find nothing.
 * @param from the content of FROM.
 * @param sources the tables and queries there, with the names of their columns.
 * @throws {MillraceError} INVALID_SQL
 */
export function checkNaturalJoin(from: Nodes, sources: Scope['sources']): void {
  if (!from.some((node) => isWord(node, 'NATURAL'))) return;
  const timed = sources.map(({ shape }) => shape.named).filter((names) => names.has(TIME));
  const [first, ...others] = timed;
  if (!first || others.length === 0) return;
  const shared = [...first].filter(
    (name) => name !== TIME && others.every((names) => names.has(name)),
  );
  const using = `USING (${shared.length === 0 ? 'the columns' : shared.join(', ')})`;
  throw new MillraceError('INVALID_SQL', `NATURAL JOIN would join by ${TIME} too: JOIN … ${using}`);
}
