import { BOUNDS } from '../flight-sql-bounds.js';
import { unfit } from '../unfit.js';

/**
 * Tells whether a name fits a pattern in which `%` is any characters and `_` is any one. It takes time in
 * proportion to both lengths, whatever the pattern.
 * @throws {MillraceError} INVALID_PARAMETER for a pattern that no name is as long as
 */
export function fitsPattern(name: string, pattern: string): boolean {
  if (pattern.length > BOUNDS.pattern)
    throw unfit(`a pattern of names may have at most ${BOUNDS.pattern} characters`);
  const [text, wanted] = [[...name], [...pattern]];
  let at = 0;
  let next = 0;
  /** The last `%`, and the end of the text that it matches. */
  let any: { readonly next: number; at: number } | undefined;
  while (at < text.length) {
    if (wanted[next] === '%') {
      next += 1;
      any = { next, at };
    } else if (next < wanted.length && (wanted[next] === '_' || wanted[next] === text[at])) {
      at += 1;
      next += 1;
    } else if (any) {
      any.at += 1;
      [at, next] = [any.at, any.next];
    } else return false;
  }
  return wanted.slice(next).every((rest) => rest === '%');
}
