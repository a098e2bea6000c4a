import { certain } from '@app/platform';
/** A piece of a statement as the engine prints it. */
export interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'symbol';
  /** The token as it is printed, quotes included. */
  readonly text: string;
  /** The value of the token: a name or a text without its quotes. */
  readonly value: string;
  /** The number of brackets around it; a bracket itself has the depth outside. */
  readonly depth: number;
  readonly start: number;
  readonly end: number;
}

const PIECE =
  /\s*(?:(`(?:[^`\\]|\\.|``)*`)|('(?:[^'\\]|\\.|'')*')|((?:0x[\dA-Fa-f]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+))|([\p{L}_][\p{L}\p{N}_$]*)|(->|::|<=>|<=|>=|!=|<>|\|\||[^\s]))/suy;

/** Reads the tokens of a statement in the engine's canonical print, where there are no comments and one kind of quotes for names. */
export function tokenize(canonical: string): readonly Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  PIECE.lastIndex = 0;
  for (let match = PIECE.exec(canonical); match; match = PIECE.exec(canonical)) {
    const [, name, literal, number, word, symbol] = match;
    const text = certain(name ?? literal ?? number ?? word ?? symbol, 'text of a token');
    if (symbol !== undefined && ')]}'.includes(symbol)) depth -= 1;
    tokens.push({
      kind: kindOf(name, literal, number, word),
      text,
      value: name !== undefined || literal !== undefined ? unquote(text) : text,
      depth,
      start: PIECE.lastIndex - text.length,
      end: PIECE.lastIndex,
    });
    if (symbol !== undefined && '([{'.includes(symbol)) depth += 1;
  }
  return tokens;
}

function kindOf(
  name: string | undefined,
  literal: string | undefined,
  number: string | undefined,
  word: string | undefined,
): Token['kind'] {
  if (name !== undefined) return 'name';
  if (literal !== undefined) return 'text';
  if (number !== undefined) return 'number';
  return word === undefined ? 'symbol' : 'word';
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  0: '\0',
};

function unquote(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(/\\(.)|``|''/gsu, (pair, letter: string | undefined) =>
      letter === undefined ? pair.charAt(0) : (ESCAPES[letter] ?? letter),
    );
}

/** True for a token that can be a name. */
export const isName = (token: Token | undefined): token is Token =>
  token?.kind === 'name' || token?.kind === 'word';

/** Index of the bracket that closes the one at `open`. */
export function closing(tokens: readonly Token[], open: number): number {
  const depth = tokens[open]?.depth;
  for (let at = open + 1; at < tokens.length; at += 1) {
    if (
      tokens[at]?.depth === depth &&
      tokens[at]?.kind === 'symbol' &&
      /^[)\]}]$/.test(tokens[at]?.text ?? '')
    )
      return at;
  }
  return tokens.length;
}
