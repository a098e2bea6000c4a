import { quoteText } from '@app/warehouse';
import { isSymbol, isWord, type PostgresToken, type StatementText } from './postgres-tokens.js';

/** A statement as the engine's dialect has it, and where its pieces stood before. */
export interface EngineText {
  readonly text: string;
  /** Place in what the author wrote of a place in this text. */
  readonly placeOf: (at: number) => number;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Writes what PostgreSQL's lexer reads otherwise than the engine's: texts in which a backslash is a
 * backslash, `E'…'`, `$$…$$`, comments within comments, `$1`, and `= ANY($1)`. All else is left to
 * the dialect, which the statement goes through as every other does.
 * @param placeholder what stands in place of `$n`
 */
export function engineText(
  { text, tokens }: StatementText,
  placeholder: (number: number) => string,
): EngineText {
  const pieces: Piece[] = [];
  let end = 0;
  tokens.forEach((token, at) => {
    // What lies between two tokens is space, or a comment that the engine might not see as one.
    const between = text.slice(end, token.start);
    if (between.trim() !== '') pieces.push({ start: end, end: token.start, text: between.replace(/[^\n]/g, ' ') }); // prettier-ignore
    end = token.end;
    const written = writtenOf(tokens, at, placeholder);
    if (written !== undefined && written !== token.text)
      pieces.push({ start: token.start, end: token.end, text: written });
  });
  return joined(text.slice(0, end), pieces);
}

function writtenOf(
  tokens: readonly PostgresToken[],
  at: number,
  placeholder: (number: number) => string,
): string | undefined {
  const token = tokens[at];
  switch (token?.kind) {
    case 'text':
      return /\\|^[eE$]/.test(token.text) ? quoteText(token.value) : undefined;
    case 'name':
      return token.text.replaceAll('\\', '\\\\');
    case 'parameter':
      return placeholder(Number(token.value));
    case 'symbol':
      if (isSymbol(token, '=') && isAny(tokens, at + 1, 'any', 'some')) return '';
      return isSymbol(token, '<>') && isAny(tokens, at + 1, 'all') ? '' : undefined;
    case 'word':
      if (isSymbol(tokens[at - 1], '=') && isAny(tokens, at, 'any', 'some')) return 'IN';
      if (isSymbol(tokens[at - 1], '<>') && isAny(tokens, at, 'all')) return 'NOT IN';
      return undefined;
    default:
      return undefined;
  }
}

/** `ANY (list)`, with a list that is no query. */
const isAny = (
  tokens: readonly PostgresToken[],
  at: number,
  ...words: readonly string[]
): boolean =>
  isWord(tokens[at], ...words) &&
  isSymbol(tokens[at + 1], '(') &&
  !isWord(tokens[at + 2], 'select', 'with', 'values');

function joined(text: string, pieces: readonly Piece[]): EngineText {
  if (pieces.length === 0) return { text, placeOf: (at) => at };
  let written = '';
  let from = 0;
  const shifts: { readonly at: number; readonly start: number; readonly length: number }[] = [];
  for (const piece of pieces) {
    written += text.slice(from, piece.start);
    shifts.push({ at: written.length, start: piece.start, length: piece.text.length });
    written += piece.text;
    from = piece.end;
    shifts.push({ at: written.length, start: piece.end, length: Infinity });
  }
  const placeOf = (at: number): number => {
    const last = shifts.findLast((shift) => shift.at <= at);
    if (!last) return at;
    return last.length === Infinity ? last.start + at - last.at : last.start;
  };
  return { text: written + text.slice(from), placeOf };
}
