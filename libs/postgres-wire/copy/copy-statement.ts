import { PostgresError } from '../protocol/protocol-error.js';
import { isName, isSymbol, isWord, type PostgresToken, type StatementText } from '../statements/postgres-tokens.js'; // prettier-ignore

/** The form in which COPY writes rows. */
export interface CopyOptions {
  readonly format: 'text' | 'csv' | 'binary';
  readonly delimiter: string;
  /** The text of a null. */
  readonly nullText: string;
  readonly hasHeader: boolean;
  readonly quote: string;
  readonly escape: string;
}

/** `COPY … TO STDOUT`, which only reads. */
export interface CopyStatement {
  /** The query whose rows are copied. */
  readonly query: string;
  readonly options: CopyOptions;
}

/**
 * Reads `COPY (query) TO STDOUT` and `COPY table (columns) TO STDOUT` with their options.
 * @returns undefined for any other COPY, which would write
 * @throws {PostgresError} 0A000 for an option that is not read
 */
export function copyStatement({ text, tokens }: StatementText): CopyStatement | undefined {
  const begin = isWord(tokens[1], 'binary') ? 2 : 1;
  const to = tokens.findIndex((token, at) => token.depth === 0 && isWord(token, 'to') && isWord(tokens[at + 1], 'stdout')); // prettier-ignore
  const source = tokens.slice(begin, to);
  const [first, last] = [source[0], source.at(-1)];
  if (to <= begin || !first || !last) return undefined;
  const written = text.slice(first.start, last.end);
  const query = isSymbol(first, '(') ? written.slice(1, -1).trim() : tableQuery(source, text);
  if (query === undefined) return undefined;
  return { query, options: optionsOf(tokens.slice(to + 2), begin === 2) };
}

/** `schema.table (a, b)` */
function tableQuery(source: readonly PostgresToken[], text: string): string | undefined {
  const open = source.findIndex((token) => isSymbol(token, '('));
  const names = open === -1 ? source : source.slice(0, open);
  const [first, last] = [names[0], names.at(-1)];
  if (!isName(first) || !isName(last)) return undefined;
  const columns = open === -1 ? '*' : text.slice(source[open]?.end, source.at(-1)?.start);
  return `SELECT ${columns} FROM ${text.slice(first.start, last.end)}`;
}

/** `WITH (FORMAT csv, HEADER)`, and without brackets as it was written before version 9. */
function optionsOf(tokens: readonly PostgresToken[], isBinary: boolean): CopyOptions {
  const words = tokens.filter(
    (token) => !isSymbol(token, '(') && !isSymbol(token, ')') && !isWord(token, 'with', 'as'),
  );
  const given = new Map<string, string>(isBinary ? [['format', 'binary']] : []);
  for (let at = 0; at < words.length; at += 1) {
    const name = words[at]?.value ?? '';
    if (isSymbol(words[at], ',')) continue;
    if (name === 'csv' || name === 'binary' || name === 'text') given.set('format', name);
    else if (name === 'header') {
      const next = words[at + 1];
      const isSaid = next && (isWord(next, 'true', 'false', 'on', 'off') || next.kind === 'number');
      given.set(name, isSaid ? next.value : 'true');
      if (isSaid) at += 1;
    } else if (READ.includes(name) && words[at + 1]) {
      given.set(name, words[at + 1]?.value ?? '');
      at += 1;
    } else throw new PostgresError('0A000', `COPY ${name.toUpperCase()} is not read here`);
  }
  return checkedOptions(given);
}

const READ = ['format', 'delimiter', 'null', 'quote', 'escape', 'encoding'];
const FORMATS = ['text', 'csv', 'binary'] as const;

function checkedOptions(given: ReadonlyMap<string, string>): CopyOptions {
  const format = FORMATS.find((each) => each === (given.get('format') ?? 'text').toLowerCase());
  if (!format) throw new PostgresError('22023', `COPY format "${given.get('format') ?? ''}" not recognized`); // prettier-ignore
  if (!/^utf-?8$/i.test(given.get('encoding') ?? 'utf8'))
    throw new PostgresError('0A000', 'texts are UTF-8 here: COPY takes no other encoding');
  const isCsv = format === 'csv';
  const quote = given.get('quote') ?? '"';
  const delimiter = given.get('delimiter') ?? (isCsv ? ',' : '\t');
  const escape = given.get('escape') ?? quote;
  for (const [name, value] of Object.entries({ delimiter, quote, escape }))
    if (value.length !== 1) throw new PostgresError('0A000', `COPY ${name} must be a single one-byte character`); // prettier-ignore
  if (format === 'text' && /[\\.a-z0-9\n\r]/.test(delimiter))
    throw new PostgresError('0A000', `COPY delimiter cannot be "${delimiter}"`);
  return {
    format,
    delimiter,
    nullText: given.get('null') ?? (isCsv ? '' : '\\N'),
    hasHeader: /^(?:true|on|1)$/.test(given.get('header') ?? ''),
    quote,
    escape,
  };
}
