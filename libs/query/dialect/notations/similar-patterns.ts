import { MillraceError } from '@app/platform';
import type { Rewritten } from './rewriting.js';
import { isWord, type Nodes } from '../source-tree.js';

const INSTEAD = "x ~ '^(?:…)$' takes a regular expression, and x LIKE '…' the signs % and _";
/**
 * In the standard these characters stand for themselves, and in DuckDB they are operators of
 * regular expressions.
 */
const TWO_MEANINGS = /[.^$\\]/;

/**
 * `SIMILAR TO 'a(b|c)%'` as the standard has it: `%` is any text, `_` any character, and the whole
 * text must fit.
 * @throws {MillraceError} INVALID_SQL for patterns that mean another thing in DuckDB
 */
export function similarPattern(nodes: Nodes, at: number): Rewritten | undefined {
  const isNot = isWord(nodes[at], 'NOT');
  const from = isNot ? at + 1 : at;
  const [similar, to, pattern, word] = nodes.slice(from, from + 4);
  if (!isWord(similar, 'SIMILAR') || !isWord(to, 'TO')) return undefined;
  if (pattern?.kind !== 'text' || isWord(word, 'ESCAPE'))
    throw new MillraceError(
      'INVALID_SQL',
      `SIMILAR TO wants its pattern written out, as a text, and no ESCAPE; ${INSTEAD}`,
    );
  const matches = `REGEXP '^(?s:${inEngineSigns(pattern.value)})$'`;
  // The engine has no NOT REGEXP.
  return { text: isNot ? `${matches} = 0` : matches, end: from + 3 };
}

/** @param pattern between its quotes, as its author wrote it */
function inEngineSigns(pattern: string): string {
  let written = '';
  for (let at = 0; at < pattern.length;) {
    const [set] = SET.exec(pattern.slice(at, at + SET_MAX)) ?? [];
    const sign = pattern.charAt(at);
    if (set === undefined && TWO_MEANINGS.test(sign))
      throw new MillraceError(
        'INVALID_SQL',
        `"${sign}" in a pattern of SIMILAR TO means one thing in the standard and another in DuckDB; ${INSTEAD}`,
      );
    written += set ?? (sign === '%' ? '.*' : sign === '_' ? '.' : sign);
    at += set?.length ?? 1;
  }
  return written;
}

/** In `[a-z]`, `[^.]` or `[[:alpha:]]`, `%` and `_` stand for themselves. */
const SET = /^\[\^?\]?(?:\[:\w+:\]|[^\]\\[])*\]/;
const SET_MAX = 256;
