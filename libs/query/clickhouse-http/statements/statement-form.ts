import { MillraceError, didYouMean } from '@app/platform';
import { ENGINE_FORMATS, isEngineFormat, type AnswerFormat } from '@app/warehouse';
import { authorTokens } from '../../dialect/author-tokens.js';
import type { Token } from '../../search/statement-tokens.js';

interface FormedStatement {
  readonly text: string;
  /** Undefined means that the request decides. */
  readonly format: NamedFormat | undefined;
}

/** A format by ClickHouse's name. */
export interface NamedFormat {
  readonly name: string;
  readonly format: AnswerFormat;
  readonly contentType: string;
}

/** Formats that we have too, with types that other programs can read. */
const SHARED: Readonly<Record<string, Omit<NamedFormat, 'name'>>> = {
  Arrow: { format: 'arrow-file', contentType: 'application/octet-stream' },
  ArrowStream: { format: 'arrow-stream', contentType: 'application/octet-stream' },
  Parquet: { format: 'parquet', contentType: 'application/octet-stream' },
};

/** Other names that ClickHouse has for formats. */
const ALIASES: Readonly<Record<string, string>> = {
  TSV: 'TabSeparated',
  TSVRaw: 'TabSeparatedRaw',
  TSVWithNames: 'TabSeparatedWithNames',
  TSVWithNamesAndTypes: 'TabSeparatedWithNamesAndTypes',
  JSONLines: 'JSONEachRow',
  NDJSON: 'JSONEachRow',
};

/**
 * Takes the semicolon and the FORMAT clause off a statement's end, before or behind SETTINGS.
 * @throws {MillraceError} INVALID_PARAMETER for a format that we do not write
 */
export function takeFormat(statement: string): FormedStatement {
  const tokens = authorTokens(statement);
  if (!tokens) return { text: statement, format: undefined };
  const end = tokens.findLastIndex(({ text }) => text !== ';') + 1;
  const text = statement.slice(0, tokens[end]?.start ?? statement.length);
  const at = formatClause(tokens.slice(0, end));
  const [word, name] = [tokens[at], tokens[at + 1]];
  if (at < 1 || !word || !name) return { text, format: undefined };
  return {
    text: `${text.slice(0, word.start)}${text.slice(name.end)}`,
    format: readFormat(name.value),
  };
}

/** @throws {MillraceError} INVALID_PARAMETER */
export function readFormat(written: string): NamedFormat {
  const name = (Object.hasOwn(ALIASES, written) ? ALIASES[written] : undefined) ?? written;
  if (isEngineFormat(name)) return { name, format: name, contentType: ENGINE_FORMATS[name] };
  const shared = Object.hasOwn(SHARED, name) ? SHARED[name] : undefined;
  if (shared) return { name, ...shared };
  const names = [...Object.keys(ENGINE_FORMATS), ...Object.keys(SHARED)];
  throw new MillraceError(
    'INVALID_PARAMETER',
    `format ${JSON.stringify(name.slice(0, 80))} is not written here${didYouMean(name, names)}; these are: ${names.join(', ')}`,
  );
}

const isWord = (token: Token | undefined, word: string): boolean =>
  token?.kind === 'word' && token.depth === 0 && token.text.toUpperCase() === word;

/** The place of FORMAT as a clause: at the end, or with only SETTINGS behind its name. */
function formatClause(tokens: readonly Token[]): number {
  const at = tokens.findLastIndex((token) => isWord(token, 'FORMAT'));
  const name = tokens[at + 1];
  if (at === -1 || name?.kind !== 'word') return -1;
  return tokens.length === at + 2 || isWord(tokens[at + 2], 'SETTINGS') ? at : -1;
}
