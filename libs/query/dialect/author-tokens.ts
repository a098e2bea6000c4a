import { certain } from '@app/platform';
import type { Token } from '../search/statement-tokens.js';

const PIECE =
  /(--[^\n]*|#[ !][^\n]*|\/\*(?:[^]*?\*\/|[^]*))|("(?:[^"\\]|\\[^]|"")*"|`(?:[^`\\]|\\[^]|``)*`)|('(?:[^'\\]|\\[^]|'')*')|(0x[\dA-Fa-f]+|\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?(?:[eE][+-]?\d+)?|\.\d+)|([\p{L}_][\p{L}\p{N}_]*)|(\s+)|(#>>?|->>|!~\*|->|::|<=>|<=|>=|==|!=|<>|\|\||!~|~\*|[-+*/%<>=!?:|&^~.,;@()[\]{}])/uy;

const KINDS = ['', '', 'name', 'text', 'number', 'word', '', 'symbol'] as const;
const ESCAPE = /^ESCAPE$/i;
const BACKSLASH = /^'\\'(?!')/;
/** The engine's parser has this limit of nesting. */
const DEPTH_MAX = 1000;

/**
 * The pieces of a statement as its author wrote it, without comments and blanks.
 * @returns undefined if any of the text is ambiguous.
 */
export function authorTokens(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at = PIECE.lastIndex) {
    // In the standard, a backslash has no special meaning in texts: `ESCAPE '\\'` is a text of one
    // character.
    if (ESCAPE.test(tokens.at(-1)?.text ?? '') && BACKSLASH.test(text.slice(at, at + 4))) {
      tokens.push({ kind: 'text', text: "'\\'", value: '\\', depth, start: at, end: at + 3 });
      PIECE.lastIndex = at + 3;
      continue;
    }
    PIECE.lastIndex = at;
    const found = PIECE.exec(text);
    if (!found || depth < 0 || depth > DEPTH_MAX) return undefined;
    const group = found.findIndex((piece, index) => index > 0 && piece !== undefined);
    const kind = certain(KINDS[group], 'kind of a piece');
    const [piece] = found;
    if (kind === '') continue;
    if (/^[)\]}]$/.test(piece)) depth -= 1;
    const value = kind === 'name' || kind === 'text' ? piece.slice(1, -1) : piece;
    tokens.push({ kind, text: piece, value, depth, start: at, end: PIECE.lastIndex });
    if (/^[([{]$/.test(piece)) depth += 1;
  }
  return tokens;
}
