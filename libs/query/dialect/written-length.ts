import { MillraceError } from '@app/platform';
import { STATEMENT_BYTES_MAX } from '../guard/limits.js';

const NODES_MIN = 1000;
const NODES_PER_CHARACTER = 32;
/** Characters that are searched in all. */
const SEARCHED_MAX = 32 * 1024 * 1024;

/**
 * Bounds what is written anew: a function that becomes an expression with its argument five times
 * in it would otherwise make a short statement of nested ones as long as it likes.
 */
export class WrittenLength {
  private length = 0;
  private nodes = 0;
  private characters = 0;

  /** @param given characters of what is written anew */
  constructor(private readonly given: number) {}

  /**
   * Counts a piece that is written. Each is written a few times; many times is what a bracket
   * comes to that is written, given up and written again, with others within it.
   * @throws {MillraceError} INVALID_SQL
   */
  node(): void {
    this.nodes += 1;
    if (this.nodes > NODES_MIN + NODES_PER_CHARACTER * this.given) throw nested();
  }

  /**
   * Tells whether a text that is written has something in it: calls within one another search the same
   * text at each level.
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
