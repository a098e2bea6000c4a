import { PostgresError } from '../protocol/protocol-error.js';
import { isSymbol, isWord, type PostgresToken } from './postgres-tokens.js';

const LOCKS = [['update'], ['no', 'key', 'update'], ['share'], ['key', 'share']];
const BEHIND = ['of', 'nowait', 'skip', 'limit', 'offset', 'fetch', 'for'];

/**
 * Refuses `SELECT … FOR UPDATE` and its like as PostgreSQL does where nothing may be written.
 * @throws {PostgresError} 25006
 */
export function refuseRowLocks(tokens: readonly PostgresToken[]): void {
  for (const [at, token] of tokens.entries()) {
    if (!isWord(token, 'for')) continue;
    const lock = LOCKS.find((words) => words.every((word, index) => isWord(tokens[at + 1 + index], word))); // prettier-ignore
    if (!lock) continue;
    const next = tokens[at + 1 + lock.length];
    if (next && !isSymbol(next, ')') && !isWord(next, ...BEHIND)) continue;
    throw new PostgresError('25006', `cannot execute SELECT FOR ${lock.join(' ').toUpperCase()} in a read-only transaction: only reading is possible here, and no row is locked`, { position: token.start }); // prettier-ignore
  }
}
