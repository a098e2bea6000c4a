import { MillraceError } from '@app/platform';
import { STATEMENT_BYTES_MAX } from '../guard/limits.js';

const NODES_MIN = 1000;
const NODES_PER_CHARACTER = 32;
/** The number of characters that may be searched in total. */
const SEARCHED_MAX = 32 * 1024 * 1024;

/**
 * Limits the length of the result: a function that becomes an expression with its argument five
 * times would otherwise make a short statement of nested calls enormous.
 */
export class WrittenLength {
  private length = 0;
  private nodes = 0;
  private characters = 0;

  /** @param given the number of characters that the result may have */
  constructor(private readonly given: number) {}

  /**
   * Counts a written piece. Usually each is written a few times. A bracket may be written many
   * times if it is written, given up and written again, together with the brackets around it.
   * @throws {MillraceError} INVALID_SQL
   */
  node(): void {
    this.nodes += 1;
    if (this.nodes > NODES_MIN + NODES_PER_CHARACTER * this.given) throw nested();
  }

  /**
   * Tells whether a written text contains something. Nested calls search the same text at each
   * level, so the work is counted.
   * @throws {MillraceError} INVALID_SQL
   */
  searched(text: string, pattern: RegExp): boolean {
    this.characters += text.length;
    if (this.characters > SEARCHED_MAX) throw nested();
    return pattern.test(text);
  }

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

const nested = (): MillraceError =>
  new MillraceError(
    'INVALID_SQL',
    'the statement has too much within one another; use fewer brackets within brackets',
  );
