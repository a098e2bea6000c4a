import type { Token } from '../search/tokens.js';

const PIECE =
  /(?<comment>--[^\n]*|#[ !][^\n]*|\/\*(?:[^]*?\*\/|[^]*))|(?<name>"(?:[^"\\]|\\[^]|"")*"|`(?:[^`\\]|\\[^]|``)*`)|(?<text>'(?:[^'\\]|\\[^]|'')*')|(?<number>0x[\dA-Fa-f]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(?<word>[\p{L}_][\p{L}\p{N}_]*)|(?<space>\s+)|(?<symbol>->>|!~\*|->|::|<=>|<=|>=|==|!=|<>|\|\||!~|~\*|[-+*/%<>=!?:|&^~.,;@()[\]{}])/uy;

/**
 * The pieces of a statement as its author wrote it, comments and spaces left out.
 * @returns undefined where anything stands in it that might be read in two ways.
 */
export function authorTokens(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at = PIECE.lastIndex) {
    PIECE.lastIndex = at;
    const found = PIECE.exec(text);
    if (!found) return undefined;
    const [kind, piece] = Object.entries(found.groups ?? {}).find(([, each]) => each) ?? [];
    if (piece === undefined || kind === 'space' || kind === 'comment') continue;
    if (/^[)\]}]$/.test(piece)) depth -= 1;
    const isQuoted = kind === 'name' || kind === 'text';
    tokens.push({
      kind: kind as Token['kind'],
      text: piece,
      value: isQuoted ? piece.slice(1, -1) : piece,
      depth,
      start: at,
      end: PIECE.lastIndex,
    });
    if (/^[([{]$/.test(piece)) depth += 1;
  }
  return tokens;
}
