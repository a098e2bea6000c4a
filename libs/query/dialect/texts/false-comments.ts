import { MillraceError } from '@app/platform';
import type { Token } from '../../search/statement-tokens.js';

/** Behind something in the same line; the engine wants a space or `!` behind the sign. */
const HASH = /^[ \t]*#[ !]/;

/**
 * Refuses operators of others with which a comment of the engine begins: it would leave out the
 * rest of the line, and answer.
 * @throws {MillraceError} INVALID_SQL
 */
export function refuseFalseComments(tokens: readonly Token[], text: string): void {
  for (const [at, { text: sign, end }] of tokens.entries()) {
    const next = tokens[at + 1];
    if (sign === '/' && next?.text === '/' && next.start === end)
      throw new MillraceError('INVALID_SQL', '"//" would begin a comment here: integers are divided by div(a, b), and comments begin with --'); // prettier-ignore
    if (HASH.test(text.slice(end, next?.start)))
      throw new MillraceError('INVALID_SQL', '"#" would begin a comment here: bits are compared by bitXor(a, b), and comments begin with --'); // prettier-ignore
  }
}
