import { certain } from '@app/platform';
import { PostgresError } from '../protocol/protocol-error.js';

/** A piece of a statement as PostgreSQL reads it. */
export interface PostgresToken {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'parameter' | 'symbol' | 'comment';
  /** The token's text as it stands in the statement. */
  readonly text: string;
  /** A name or a text without its quotes and escapes; a word in lower case. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** The number of brackets around it. */
  readonly depth: number;
}

const PIECE =
  /(\s+)|(--[^\n]*)|(\/\*)|([eE]'(?:[^'\\]|\\[^]|'')*')|('(?:[^']|'')*')|("(?:[^"]|"")*")|\$(\d+)|(\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$)|(0x[\dA-Fa-f]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|([\p{L}_][\p{L}\p{N}_$]*)|(::|<=|>=|<>|!=|\|\||->>|->|[^])/uy;

/** @throws {PostgresError} 42601 if a text, a name or a comment does not end */
function postgresTokens(text: string): readonly PostgresToken[] {
  const tokens: PostgresToken[] = [];
  let depth = 0;
  for (let at = 0; at < text.length;) {
    PIECE.lastIndex = at;
    const found = PIECE.exec(text);
    if (!found) break;
    const [piece, space, line, block, escaped, quoted, name, parameter, dollar, number, word] =
      found;
    let end = PIECE.lastIndex;
    const push = (kind: PostgresToken['kind'], value: string): void =>
      void tokens.push({ kind, text: text.slice(at, end), value, start: at, end, depth });
    if (space !== undefined) {
      at = end;
      continue;
    }
    if (line !== undefined) push('comment', '');
    else if (block !== undefined) {
      end = endOfComment(text, at);
      push('comment', '');
    } else if (escaped !== undefined) push('text', unescaped(escaped.slice(2, -1)));
    else if (quoted !== undefined) push('text', quoted.slice(1, -1).replaceAll("''", "'"));
    else if (name !== undefined) push('name', name.slice(1, -1).replaceAll('""', '"'));
    else if (parameter !== undefined) push('parameter', parameter);
    else if (dollar !== undefined) {
      const close = text.indexOf(dollar, end);
      if (close === -1) throw endless('dollar-quoted string', at);
      const value = text.slice(end, close);
      end = close + dollar.length;
      push('text', value);
    } else if (number !== undefined) push('number', number);
    else if (word !== undefined) push('word', word.toLowerCase());
    else {
      if (piece === "'") throw endless('quoted string', at);
      if (piece === '"') throw endless('quoted identifier', at);
      if (/^[)\]]$/.test(piece)) depth -= 1;
      push('symbol', piece);
      if (/^[([]$/.test(piece)) depth += 1;
    }
    at = end;
  }
  return tokens;
}

/** Comments may be nested. */
function endOfComment(text: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  throw endless('comment', start);
}

function endless(what: string, at: number): PostgresError {
  return new PostgresError('42601', `unterminated ${what}`, { position: at });
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const character = (point: number): string =>
  point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';

const unescaped = (text: string): string =>
  text.replace(
    /''|\\(?:x([\dA-Fa-f]{1,2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|([0-7]{1,3})|([^]))/g,
    (piece, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      if (piece === "''") return "'";
      const code = hex ?? short ?? long;
      if (code !== undefined) return character(parseInt(code, 16));
      if (octal !== undefined) return character(parseInt(octal, 8));
      const escaped = certain(letter, 'letter of an escape');
      return ESCAPES[escaped] ?? escaped;
    },
  );

export const isSymbol = (token: PostgresToken | undefined, text: string): boolean =>
  token?.kind === 'symbol' && token.text === text;

export const isWord = (token: PostgresToken | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'word' && words.includes(token.value);

export const isName = (token: PostgresToken | undefined): token is PostgresToken =>
  token?.kind === 'word' || token?.kind === 'name';

/** A statement of what was sent, without the semicolon behind it. */
export interface StatementText {
  readonly text: string;
  /** The text and the tokens, without comments; places are within this text. */
  readonly tokens: readonly PostgresToken[];
  /** Its place in the client's text. */
  readonly start: number;
}

/** Statements that semicolons separate; empty ones are left out. @throws {PostgresError} 42601 */
export function statementsOf(text: string): readonly StatementText[] {
  const statements: StatementText[] = [];
  let tokens: PostgresToken[] = [];
  const close = (): void => {
    const [first, last] = [tokens[0], tokens.at(-1)];
    if (!first || !last) return;
    const { start } = first;
    const moved = tokens.map((token) => ({ ...token, start: token.start - start, end: token.end - start })); // prettier-ignore
    statements.push({ text: text.slice(start, last.end), tokens: moved, start });
    tokens = [];
  };
  for (const token of postgresTokens(text)) {
    if (isSymbol(token, ';') && token.depth <= 0) close();
    else if (token.kind !== 'comment') tokens.push(token);
  }
  close();
  return statements;
}
