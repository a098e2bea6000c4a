import { quoteText } from '@app/warehouse';
import { textElements } from '../values/parameter-value.js';
import { ELEMENT_OF_OID } from '../values/postgres-type.js';
import { castBehind, type Cast } from './cast-behind.js';
import {
  isName,
  isSymbol,
  isWord,
  type PostgresToken,
  type StatementText,
} from './postgres-tokens.js';

/** A statement in the engine's dialect, with the original places of its pieces. */
export interface EngineText {
  readonly text: string;
  /** The place in the author's text for a place in this text. */
  readonly placeOf: (at: number) => number;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text that replaces a parameter. */
export interface Placeholder {
  readonly text: string;
  /** The type of the cast behind a parameter; the cast is then left out. */
  readonly isCast?: boolean;
}

/** A place where the dialect reads what is written, so that no value from outside can stand there. */
export type WrittenPlace = 'key' | 'pattern' | 'unit';

/** Functions whose first argument is a unit of time. */
const OF_UNIT = ['date_trunc', 'date_part'];

function writtenPlace(tokens: readonly PostgresToken[], at: number): WrittenPlace | undefined {
  const [call, before, next] = [tokens[at - 2], tokens[at - 1], tokens[at + 1]];
  if (isSymbol(before, '->') || isSymbol(before, '->>')) return 'key';
  // Hibernate writes an ESCAPE behind each pattern.
  if (isWord(next, 'escape')) return 'pattern';
  return isSymbol(before, '(') && isWord(call, ...OF_UNIT) ? 'unit' : undefined;
}

/**
 * Rewrites what PostgreSQL's lexer reads differently from the engine's: texts with backslashes,
 * `E'…'`, `$$…$$`, comments within comments, `$1`, `= ANY($1)` and `'{a,b}'::text[]`. The dialect,
 * which every statement passes, does the rest.
 * @param placeholder the text that replaces `$n`
 * @param bytes the places of texts that are bytes without a cast
 * @param database its name may stand before `public`; the engine's names have two pieces at most
 */
export function engineText(
  { text, tokens }: StatementText,
  placeholder: (number: number, cast: Cast | undefined, place?: WrittenPlace) => Placeholder,
  database: string,
  bytes: ReadonlySet<number> = new Set(),
): EngineText {
  const pieces: Piece[] = [];
  let end = 0;
  tokens.forEach((token, at) => {
    // The token belongs to a cast that is left out.
    if (token.start < end) return;
    // Between two tokens there is space, or a comment that the engine might not see as one.
    const between = text.slice(end, token.start);
    if (between.trim() !== '') pieces.push({ start: end, end: token.start, text: between.replace(/[^\n]/g, ' ') }); // prettier-ignore
    end = token.end;
    if (token.kind === 'parameter') {
      const cast = castBehind(tokens, at);
      const { text: value, isCast } = placeholder(Number(token.value), cast, writtenPlace(tokens, at)); // prettier-ignore
      if (cast && isCast) end = cast.end;
      pieces.push({ start: token.start, end, text: value });
      return;
    }
    const behind = behindDatabase(tokens, at, database);
    if (behind) {
      end = behind.start;
      pieces.push({ start: token.start, end, text: '' });
      return;
    }
    const rows = rowsOf(tokens, at) ?? listOf(tokens, at) ?? arrayOf(text, tokens, at) ?? bytesOf(tokens, at, bytes.has(at)); // prettier-ignore
    if (rows) end = rows.end;
    const written = rows?.text ?? writtenOf(tokens, at);
    if (written !== undefined && written !== token.text)
      pieces.push({ start: token.start, end, text: written });
  });
  return joined(text.slice(0, end), pieces);
}

/** The schema in `"database"."public"."table"`, as dbt names every table. */
function behindDatabase(tokens: readonly PostgresToken[], at: number, database: string) {
  const [token, dot, schema, second, table] = tokens.slice(at, at + 5);
  const isNamed = isName(token) && token.value === database && isName(schema) && isName(table);
  const isDotted = isSymbol(dot, '.') && isSymbol(second, '.') && !isSymbol(tokens[at - 1], '.');
  return isNamed && isDotted && schema.value === 'public' ? schema : undefined;
}

/**
 * `LIMIT '1'`, as pgx (and gorm by it) writes a value in its simple mode, and `LIMIT ('1'::int4)`,
 * as JDBC does: the engine takes a plain number only.
 */
function rowsOf(tokens: readonly PostgresToken[], at: number) {
  const token = tokens[at];
  const before = tokens[isSymbol(tokens[at - 1], '(') ? at - 2 : at - 1];
  if (token?.kind !== 'text' || !/^\d+$/.test(token.value)) return undefined;
  const end = castBehind(tokens, at)?.end ?? token.end;
  return isWord(before, 'limit', 'offset') ? { text: token.value, end } : undefined;
}

/** The elements of `ANY ('{1,2}')`, where psycopg2 writes `'{}'` for a list without any. */
function listOf(tokens: readonly PostgresToken[], at: number) {
  const token = tokens[at];
  if (token?.kind !== 'text' || !isSymbol(tokens[at - 1], '(')) return undefined;
  const sign = tokens[at - 3];
  const isList = (isSymbol(sign, '=') && isAny(tokens, at - 2, 'any', 'some')) || (isSymbol(sign, '<>') && isAny(tokens, at - 2, 'all')); // prettier-ignore
  if (!isList) return undefined;
  const end = castBehind(tokens, at)?.end ?? token.end;
  let next = at + 1;
  while ((tokens[next]?.start ?? end) < end) next += 1;
  if (!isSymbol(tokens[next], ')')) return undefined;
  const elements = textElements(token.value);
  const text = elements.map((each) => (each === null ? 'NULL' : quoteText(each.toString('utf8')))).join(', '); // prettier-ignore
  return { text, end };
}

/** An array as a text, `'{1,NULL}'::int[]`: a list, each of whose elements has the cast. */
function arrayOf(text: string, tokens: readonly PostgresToken[], at: number) {
  const [token, cast, type] = [tokens[at], castBehind(tokens, at), tokens[at + 2]];
  if (token?.kind !== 'text' || !cast || !type || !ELEMENT_OF_OID.has(cast.oid)) return undefined;
  if (!/^\s*\{/.test(token.value)) return undefined;
  const scalar = text.slice(type.start, cast.end).replace(/\s*\[\s*\]$/, '');
  const elements = textElements(token.value).map((each) => (each === null ? 'NULL' : `${quoteText(each.toString('utf8'))}::${scalar}`)); // prettier-ignore
  return { text: `[${elements.join(', ')}]`, end: token.end };
}

const BYTEA = 17;

/** Bytes, as psycopg2 writes them: `'\x6162'::bytea`. */
function bytesOf(tokens: readonly PostgresToken[], at: number, isKnown: boolean) {
  const [token, cast] = [tokens[at], castBehind(tokens, at)];
  if (token?.kind !== 'text' || !(cast ? cast.oid === BYTEA : isKnown)) return undefined;
  const hex = /^\\x((?:[\da-f]{2})*)$/i.exec(token.value)?.[1];
  return hex === undefined ? undefined : { text: `unhex('${hex}')`, end: (cast ?? token).end };
}

function writtenOf(tokens: readonly PostgresToken[], at: number): string | undefined {
  const token = tokens[at];
  switch (token?.kind) {
    case 'text':
      return /\\|^[eE$]/.test(token.text) ? quoteText(token.value) : undefined;
    case 'name':
      return token.text.replaceAll('\\', '\\\\');
    case 'symbol':
      if (isSymbol(token, '=') && isAny(tokens, at + 1, 'any', 'some')) return ' ';
      return isSymbol(token, '<>') && isAny(tokens, at + 1, 'all') ? ' ' : undefined;
    case 'word':
      if (isSymbol(tokens[at - 1], '=') && isAny(tokens, at, 'any', 'some')) return 'IN';
      if (isSymbol(tokens[at - 1], '<>') && isAny(tokens, at, 'all')) return 'NOT IN';
      return undefined;
    default:
      return undefined;
  }
}

/** `ANY (list)`, with a list that stands there: the dialect reads queries, and columns of lists. */
const isAny = (
  tokens: readonly PostgresToken[],
  at: number,
  ...words: readonly string[]
): boolean =>
  isWord(tokens[at], ...words) &&
  isSymbol(tokens[at + 1], '(') &&
  (/^(?:parameter|text)$/.test(tokens[at + 2]?.kind ?? '') || isWord(tokens[at + 2], 'array'));

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
