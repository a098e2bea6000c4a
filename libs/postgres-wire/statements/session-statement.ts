import { copyStatement, type CopyStatement } from '../copy/copy-statement.js';
import {
  isName,
  isSymbol,
  isWord,
  type PostgresToken,
  type StatementText,
} from './postgres-tokens.js';

/** A statement that reads no table. */
export type SessionStatement =
  | { readonly kind: 'begin' | 'commit' | 'rollback' | 'rollback-to'; readonly tag: string }
  | { readonly kind: 'set'; readonly name: string; readonly value: string; readonly tag: string }
  | { readonly kind: 'show'; readonly name: string; readonly tag: string }
  | { readonly kind: 'discard'; readonly tag: string }
  | { readonly kind: 'deallocate'; readonly name: string | undefined; readonly tag: string }
  | { readonly kind: 'close'; readonly name: string | undefined; readonly tag: string }
  | {
      readonly kind: 'declare';
      readonly name: string;
      readonly query: string;
      /** `WITH HOLD`: the cursor stays when its transaction ends. */
      readonly isHeld: boolean;
      readonly tag: string;
    }
  | { readonly kind: 'fetch'; readonly name: string; readonly rows: number; readonly tag: string }
  | { readonly kind: 'plan'; readonly name: string; readonly tag: string }
  | { readonly kind: 'copy'; readonly copy: CopyStatement; readonly tag: string }
  | { readonly kind: 'nothing'; readonly tag: string };

/** A SHOW of the dialect, which the guard answers. */
const SHOWN_BY_DIALECT = ['tables', 'columns', 'create', 'databases'];

/** @returns undefined for any other statement. */
export function sessionStatement(statement: StatementText): SessionStatement | undefined {
  const { tokens } = statement;
  const [first, second, third] = tokens;
  if (first?.kind !== 'word') return undefined;
  switch (first.value) {
    case 'begin':
      return { kind: 'begin', tag: 'BEGIN' };
    case 'start':
      return isWord(second, 'transaction')
        ? { kind: 'begin', tag: 'START TRANSACTION' }
        : undefined;
    case 'commit':
    case 'end':
      return { kind: 'commit', tag: 'COMMIT' };
    case 'abort':
      return { kind: 'rollback', tag: 'ROLLBACK' };
    case 'rollback':
      return isWord(second, 'to') || isWord(third, 'to')
        ? { kind: 'rollback-to', tag: 'ROLLBACK' }
        : { kind: 'rollback', tag: 'ROLLBACK' };
    case 'savepoint':
      return { kind: 'nothing', tag: 'SAVEPOINT' };
    case 'release':
      return { kind: 'nothing', tag: 'RELEASE' };
    case 'set':
      return setting(tokens);
    case 'reset':
      return { kind: 'nothing', tag: 'RESET' };
    case 'show':
      return shown(tokens);
    case 'discard':
      return { kind: 'discard', tag: `DISCARD ${(second?.value ?? 'all').toUpperCase()}` };
    case 'deallocate': {
      const name = isWord(second, 'prepare') ? third : second;
      if (isWord(name, 'all'))
        return { kind: 'deallocate', name: undefined, tag: 'DEALLOCATE ALL' };
      return name && { kind: 'deallocate', name: name.value, tag: 'DEALLOCATE' };
    }
    case 'close':
      if (isWord(second, 'all')) return { kind: 'close', name: undefined, tag: 'CLOSE CURSOR ALL' };
      return second && { kind: 'close', name: second.value, tag: 'CLOSE CURSOR' };
    case 'declare':
      return declared(statement);
    case 'fetch':
      return fetched(tokens);
    case 'copy': {
      const copy = copyStatement(statement);
      return copy && { kind: 'copy', copy, tag: 'COPY' };
    }
    case 'explain':
      return planned(tokens);
    case 'listen':
    case 'unlisten':
      return { kind: 'nothing', tag: first.value.toUpperCase() };
    default:
      return undefined;
  }
}

/**
 * `EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE name(NULL)`, by which sqlx of Rust looks for columns that
 * an outer join may leave null.
 */
function planned(tokens: readonly PostgresToken[]): SessionStatement | undefined {
  const at = tokens.findIndex((token) => isWord(token, 'execute'));
  const name = tokens[at + 1];
  const isJson = tokens.slice(0, at).some((token, each) => isWord(token, 'json') && isWord(tokens[each - 1], 'format')); // prettier-ignore
  return at !== -1 && isJson && isName(name) && isSymbol(tokens[at - 1], ')')
    ? { kind: 'plan', name: name.value, tag: 'EXPLAIN' }
    : undefined;
}

/** `SET [SESSION | LOCAL] name {TO | =} value`, `SET TIME ZONE value`, `SET NAMES value` and such. */
function setting(tokens: readonly PostgresToken[]): SessionStatement {
  const rest = tokens.slice(isWord(tokens[1], 'session', 'local') ? 2 : 1);
  const [name, second] = rest;
  if (isWord(name, 'names')) return { kind: 'set', name: 'client_encoding', value: second?.value ?? '', tag: 'SET' }; // prettier-ignore
  const to = rest.findIndex((token) => isSymbol(token, '=') || isWord(token, 'to'));
  if (!isName(name) || to === -1) return { kind: 'nothing', tag: 'SET' };
  const value = rest.slice(to + 1).map((token) => token.value).join(' '); // prettier-ignore
  return { kind: 'set', name: nameOf(rest.slice(0, to)), value, tag: 'SET' };
}

function shown(tokens: readonly PostgresToken[]): SessionStatement | undefined {
  const rest = tokens.slice(1);
  if (rest.length === 0 || isWord(rest[0], ...SHOWN_BY_DIALECT)) return undefined;
  const words = rest.map(({ value }) => value).join(' ');
  const name = SPOKEN[words] ?? nameOf(rest);
  return { kind: 'show', name, tag: 'SHOW' };
}

const SPOKEN: Readonly<Record<string, string>> = {
  'time zone': 'timezone',
  'transaction isolation level': 'transaction_isolation',
  'session authorization': 'session_authorization',
};

const nameOf = (tokens: readonly PostgresToken[]): string =>
  tokens.map(({ value }) => value.toLowerCase()).join('');

/** `DECLARE name … CURSOR … FOR query` */
function declared({ text, tokens }: StatementText): SessionStatement | undefined {
  const cursor = tokens.findIndex((token) => isWord(token, 'cursor'));
  const end = tokens.findIndex((token, at) => at > cursor && isWord(token, 'for'));
  const query = tokens[end + 1];
  const name = tokens[1];
  if (!isName(name) || cursor === -1 || !query || query === tokens[0]) return undefined;
  const isHeld = isWord(tokens[end - 1], 'hold') && isWord(tokens[end - 2], 'with');
  return { kind: 'declare', name: name.value, query: text.slice(query.start), isHeld, tag: 'DECLARE CURSOR' }; // prettier-ignore
}

/** `FETCH [FORWARD | NEXT] [n | ALL] [FROM | IN] name`; a cursor here goes forward only. */
function fetched(tokens: readonly PostgresToken[]): SessionStatement | undefined {
  const name = tokens.at(-1);
  const words = tokens.slice(1, -1).map(({ value }) => value);
  if (!isName(name) || tokens.length < 2) return undefined;
  const [count = '1', more] = words.filter((word) => !/^(?:forward|next|from|in)$/.test(word));
  if (more !== undefined || !/^(?:\d{1,9}|all)$/.test(count)) return undefined;
  return { kind: 'fetch', name: name.value, rows: count === 'all' ? Infinity : Number(count), tag: 'FETCH' }; // prettier-ignore
}
