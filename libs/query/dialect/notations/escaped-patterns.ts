import { MillraceError } from '@app/platform';
import type { Rewritten } from './rewriting.js';
import { isWord, type Nodes } from '../source-tree.js';

/**
 * `LIKE 'a!%' ESCAPE '!'`: the engine only accepts the backslash as an escape.
 * @throws {MillraceError} INVALID_SQL
 */
export function escapedPattern(nodes: Nodes, at: number): Rewritten | undefined {
  const [like, pattern, word, sign] = nodes.slice(at, at + 4);
  if (!isWord(like, 'LIKE') && !isWord(like, 'ILIKE')) return undefined;
  if (!isWord(word, 'ESCAPE') || sign?.kind !== 'text' || !like) return undefined;
  const escape = sign.value === "''" || sign.value === '\\\\' ? sign.value.slice(1) : sign.value;
  if ([...escape].length > 1) throw problem('ESCAPE takes one character');
  if (pattern?.kind !== 'text') throw problem('LIKE with ESCAPE wants its pattern written out, as a text'); // prettier-ignore
  return { text: `${like.text} '${inEngineSigns(pattern.value, escape)}'`, end: at + 4 };
}

/** @param pattern between its quotes, as its author wrote it */
function inEngineSigns(pattern: string, escape: string): string {
  if (escape === '\\') return pattern;
  if (pattern.includes('\\')) throw problem('a pattern with ESCAPE has no backslash; double the other sign'); // prettier-ignore
  let written = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const isEscaped = escape !== '' && pattern.startsWith(escape, at);
    if (!isEscaped) {
      written += pattern.charAt(at);
      continue;
    }
    at += escape.length;
    const next = pattern.charAt(at);
    if (next === '') throw problem('nothing stands behind the sign of ESCAPE');
    written += /[%_]/.test(next) ? `\\\\${next}` : next;
  }
  return written;
}

const problem = (message: string): MillraceError => new MillraceError('INVALID_SQL', message);
