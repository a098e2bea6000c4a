import { MillraceError } from '@app/platform';
import type { ValueTypes } from '../casts/value-types.js';
import { isList, isQuery, isSymbol, isWord, type Nodes } from '../source-tree.js';

/** Without brackets they are functions in the standard, which would tell a name of the engine's. */
const WORDS = /^(?:user|current_user|session_user)$/i;

/**
 * Refuses `user` where it is no column and nothing in the statement.
 * @param isFrom true where tables stand, which may have any name
 * @throws {MillraceError} UNKNOWN_COLUMN
 */
export function refuseSessionWords(nodes: Nodes, isFrom: boolean, types: ValueTypes): void {
  for (const [at, node] of nodes.entries()) {
    const [before, next] = [nodes[at - 1], nodes[at + 1]];
    if (node.kind === 'group') {
      if (node.text !== '{' && !isQuery(node.nodes)) refuseSessionWords(node.nodes, isFrom, types);
      continue;
    }
    if (node.kind !== 'word' || !WORDS.test(node.text) || types.isGiven(node.value)) continue;
    if (isSymbol(before, '.') || isWord(before, 'AS') || isWord(before, 'OVER')) continue;
    if (isSymbol(next, '.') || next?.kind === 'group') continue;
    // `WITH user AS (SELECT …)` and `WINDOW user AS (…)` give the name to something else.
    if (isWord(next, 'AS') && isList(nodes[at + 2])) continue;
    const isTable = isFrom && (at === 0 || isSymbol(before, ',') || isWord(before, 'JOIN'));
    if (!isTable)
      throw new MillraceError('UNKNOWN_COLUMN', `there is no column ${JSON.stringify(node.value)}, and a statement does not tell who asks it`); // prettier-ignore
  }
}
