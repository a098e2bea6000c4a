import { MillraceError } from '@app/platform';
import { STATEMENT_BYTES_MAX } from '../guard/limits.js';

/**
 * Bounds what is written anew: a function that becomes an expression with its argument five times
 * in it would otherwise make a short statement of nested ones as long as it likes.
 */
export class WrittenLength {
  private length = 0;

  /** @throws {MillraceError} INVALID_SQL */
  add(text: string): string {
    this.length += text.length;
    if (this.length > STATEMENT_BYTES_MAX)
      throw new MillraceError(
        'INVALID_SQL',
        'the statement is too long when its functions are written out; use fewer of them within one another',
      );
    return text;
  }
}
