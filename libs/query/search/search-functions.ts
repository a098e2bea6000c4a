import { certain, didYouMean } from '@app/platform';
import { quoteText, searchedText } from '@app/warehouse';
import { TRANSLATED_FUNCTIONS } from '../dialect/functions/translated-functions.js';
import { isAllowedFunction } from '../guard/functions/allowed-functions.js';
import { splitList } from './statement-clauses.js';
import {
  automaticInterval,
  histogramSql,
  intervalOfCount,
  readInterval,
  readTimeZone,
} from './histogram.js';
import { SEARCH_CODE, searchError } from './search-error.js';
import { closing, isName, tokenize, type Token } from './statement-tokens.js';

/** The inputs of search's functions. */
export interface SearchContext {
  /** The columns that match_all searches. */
  readonly fullTextColumns: readonly string[];
  /** Length of the time range; undefined while it is unbounded. */
  readonly rangeSeconds: number | undefined;
  /**
   * The seconds of a bucket if `histogram` has no argument for it; undefined: the length of the
   * range decides.
   */
  readonly interval?: number | undefined;
  /** Is called with the seconds of each histogram's buckets. */
  readonly onHistogram?: (seconds: number) => void;
}

type Expansion = (args: readonly string[], context: SearchContext) => string;

const strMatch: Expansion = ([field, text], _context) => `(position(${field}, ${text}) > 0)`;
const strMatchIgnoreCase: Expansion = ([field, text]) =>
  `(positionCaseInsensitiveUTF8(${field}, ${text}) > 0)`;

/** Search's own functions, with their translation and their number of arguments. */
const FUNCTIONS: Readonly<Record<string, readonly [Expansion, number, number]>> = {
  str_match: [strMatch, 2, 2],
  str_match_ignore_case: [strMatchIgnoreCase, 2, 2],
  match_ignore_case: [strMatchIgnoreCase, 2, 2],
  re_match: [([field, pattern]) => `match(${field}, ${pattern})`, 2, 2],
  re_not_match: [([field, pattern]) => `(NOT match(${field}, ${pattern}))`, 2, 2],
  time_range: [timeRange, 3, 3],
  match_all: [matchAll, 1, 1],
  match_all_ignore_case: [matchAll, 1, 1],
  histogram: [histogram, 1, 3],
};

const NO_CALL =
  /^(?:IN|AND|OR|NOT|AS|FROM|JOIN|WHERE|SELECT|WITH|ON|USING|OVER|BY|HAVING|THEN|ELSE|WHEN|CASE|LIMIT|OFFSET|UNION|ALL|DISTINCT|INTERSECT|EXCEPT|FILTER|LIKE|ILIKE|BETWEEN|IS|INTERVAL|VALUES|PREWHERE|QUALIFY|REPLACE|APPLY|COLUMNS|EXISTS|ANY|RECURSIVE|MATERIALIZED|TO|STEP)$/;

/**
 * Writes search's own functions out as the engine's, and times given in microseconds as times.
 * @throws {MillraceError} INVALID_SEARCH
 */
export function expandFunctions(statement: string, context: SearchContext): string {
  const tokens = tokenize(statement);
  let written = '';
  let from = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    const micros = microsecondsAt(tokens, at);
    if (micros) {
      written += `${statement.slice(from, micros.start)}fromUnixTimestamp64Micro(${micros.text})`;
      from = micros.end;
      continue;
    }
    if (token.kind !== 'word' || tokens[at + 1]?.text !== '(' || NO_CALL.test(token.text)) continue;
    const end = closing(tokens, at + 1);
    const own = Object.hasOwn(FUNCTIONS, token.text.toLowerCase())
      ? FUNCTIONS[token.text.toLowerCase()]
      : undefined;
    // The engine's own histogram is parametric: histogram(5)(x).
    if (!own || tokens[end + 1]?.text === '(') {
      checkFunction(tokens, at);
      continue;
    }
    const inside = statement.slice(tokens[at + 1]?.end, tokens[end]?.start);
    const args = splitList(expandFunctions(inside, context));
    const [expand, fewest, most] = own;
    if (args.length < fewest || args.length > most)
      throw searchError(
        SEARCH_CODE.invalidSql,
        `${token.text} takes ${fewest === most ? fewest : `${fewest} or ${most}`} arguments, not ${args.length}`,
      );
    written += statement.slice(from, token.start) + expand(args, context);
    from = tokens[end]?.end ?? statement.length;
    at = end;
  }
  return written + statement.slice(from);
}

function checkFunction(tokens: readonly Token[], at: number): void {
  const { text } = certain(tokens[at], 'name of a function');
  const isTranslated = TRANSLATED.has(text.toLowerCase().replace(/if$/, ''));
  if (
    isAllowedFunction(text) ||
    isTranslated ||
    /^(?:JOIN|\.|AS)$/.test(tokens[at - 1]?.text ?? '')
  )
    return;
  // An alias before its list, `WITH x (a, b) AS …`, or a table function: the guard judges it.
  if (
    /^(?:FROM|,|WITH)$/.test(tokens[at - 1]?.text ?? '') &&
    tokens[closing(tokens, at + 1) + 1]?.text === 'AS'
  )
    return;
  if (tokens[at - 1]?.text === 'FROM') return;
  throw searchError(
    SEARCH_CODE.noSuchFunction,
    `Search function not defined: ${text}${didYouMean(text, Object.keys(FUNCTIONS))}`,
  );
}

const TRANSLATED = new Set(TRANSLATED_FUNCTIONS.flatMap((name) => [name, name.replace(/if$/, '')]));

const COMPARES = /^(?:=|!=|<>|<|>|<=|>=)$/;
/** Numbers of other sizes are told apart beside the time: see `time-arithmetic.ts`. */
const MICROSECONDS = /^\d{15,16}$/;

/** The number in `_timestamp >= 1674213225158000`, as OpenObserve's users write it. */
function microsecondsAt(tokens: readonly Token[], at: number): Token | undefined {
  const token = tokens[at];
  if (token?.kind !== 'number' || !MICROSECONDS.test(token.text)) return undefined;
  const [name, operator] = [tokens[at - 2], tokens[at - 1]];
  const before = isName(name) && name.value === '_timestamp' && COMPARES.test(operator?.text ?? '');
  return before ? token : undefined;
}

function timeRange([time = '', start = '', end = '']: readonly string[]): string {
  const micros = (value: string): string =>
    MICROSECONDS.test(value) ? `fromUnixTimestamp64Micro(${value})` : value;
  return `(${time} >= ${micros(start)} AND ${time} < ${micros(end)})`;
}

function histogram(
  [time = '', interval, zone]: readonly string[],
  { rangeSeconds, interval: asked, onHistogram }: SearchContext,
): string {
  const seconds =
    interval === undefined
      ? (asked ?? automaticInterval(rangeSeconds))
      : bucketSeconds(interval, rangeSeconds);
  onHistogram?.(seconds);
  if (zone === undefined) return histogramSql(time, seconds);
  const [token, more] = tokenize(zone);
  if (more !== undefined || token?.kind !== 'text')
    throw searchError(
      SEARCH_CODE.invalidSql,
      "histogram: the time zone is a text: 'Europe/Berlin'",
    );
  return histogramSql(time, seconds, readTimeZone(token.value));
}

function bucketSeconds(interval: string, rangeSeconds: number | undefined): number {
  const [token, more] = tokenize(interval);
  if (more === undefined && token?.kind === 'text') return readInterval(token.value);
  if (more === undefined && token?.kind === 'number')
    return intervalOfCount(Number(token.text), rangeSeconds);
  throw searchError(SEARCH_CODE.invalidSql, 'histogram: the interval is a text or a number');
}

/**
 * Matches words in any order, in one of the columns, in any case; `ab*` matches any word with that
 * beginning.
 */
function matchAll([argument = '']: readonly string[], { fullTextColumns }: SearchContext): string {
  const [token, more] = tokenize(argument);
  if (more !== undefined || token?.kind !== 'text')
    throw searchError(SEARCH_CODE.invalidSql, "match_all takes a text: match_all('word')");
  if (fullTextColumns.length === 0) {
    throw searchError(
      SEARCH_CODE.noFullTextField,
      'Full text search field not found: name columns in the setting full_text_search_keys of the stream',
    );
  }
  const each = fullTextColumns.map((column) => matchColumn(column, token.value));
  return `(${each.join(' OR ')})`;
}

const SEPARATORS = '[\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f]';
// eslint-disable-next-line no-control-regex -- every character that separates words
const SEPARATOR = /[\u0000-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+/;

function matchColumn(column: string, text: string): string {
  const searched = searchedText(column);
  const prefixes = [...text.matchAll(/([^\s*]+)\*/g)].map(([, prefix = '']) => prefix);
  const words = text
    .replace(/[^\s*]+\*/g, ' ')
    .split(SEPARATOR)
    .filter((word) => word !== '');
  const conditions = [
    ...(words.length > 0
      ? [`hasAllTokens(${searched}, lowerUTF8(${quoteText(words.join(' '))}))`]
      : []),
    ...prefixes.map((prefix) => {
      const escaped = prefix.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return `match(${searched}, ${quoteText(`(?:^|${SEPARATORS})${escaped}`)})`;
    }),
  ];
  if (conditions.length === 0)
    return `positionCaseInsensitiveUTF8(${searched}, ${quoteText(text)}) > 0`;
  const all = conditions.join(' AND ');
  return conditions.length === 1 ? all : `(${all})`;
}
