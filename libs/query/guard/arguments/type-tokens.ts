import { certain } from '@app/platform';

export interface Token {
  /** A `name` is one in backquotes, a `text` one in single quotes, both without them. */
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'mark';
  readonly text: string;
}

/**
 * Escapes and comments are not allowed, so no text can be read in two ways. With any other
 * character the text is no type.
 */
const TOKEN =
  /(?<word>[A-Za-z_]\w{0,127})|`(?<name>[^`\\\p{C}]{1,256})`|'(?<text>[^'\\\p{C}]*)'(?!')|(?<number>-?\d{1,12}(?:\.\d{1,20})?)(?![\w.])|(?<mark>[(),=.])| +/uy;

const TOKENS_MAX = 20_000;

/** @returns undefined if the text has anything that a type does not have. */
export function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found || tokens.length > TOKENS_MAX) return undefined;
    const [kind, whole] =
      Object.entries(certain(found.groups, 'kind of a token')).find(
        ([, value]) => value !== undefined,
      ) ?? [];
    if (kind !== undefined && whole !== undefined)
      tokens.push({ kind: kind as Token['kind'], text: whole });
  }
  return tokens;
}
