import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { engineFormat } from '../times/time-formats.js';
import { bucket } from '../times/time-buckets.js';
import { writtenLength } from '../lengths/written-intervals.js';
import {
  fn,
  literal,
  one,
  truth,
  written,
  type ScalarFunction,
} from '../functions/scalar-function.js';

/** `FORMAT_TIMESTAMP('%Y-%m-%d', t, 'Europe/Berlin')` of BigQuery. */
const formatted = (name: string): ScalarFunction =>
  fn(2, 3, (format, time, zone) => {
    const letters = quoteText(engineFormat(written(name, format)));
    return `formatDateTime(${[time, letters, ...(zone === undefined ? [] : [zone])].join(', ')})`;
  });

const parsed = (name: string, as: (time: string) => string): ScalarFunction =>
  fn(2, 2, (format, text) =>
    as(`parseDateTime64(${text}, ${quoteText(engineFormat(written(name, format)))})`),
  );

const inUtc = (time: string): string => `toDateTime64(${time}, 6, 'UTC')`;
const since1970 = (unit: string): ScalarFunction =>
  fn(1, 1, (x) => `fromUnixTimestamp64${unit}(toInt64(${x}), 'UTC')`);
const countOf = (unit: string, digits: number): ScalarFunction =>
  fn(1, 1, (x) => `toUnixTimestamp64${unit}(toDateTime64(${x}, ${digits}, 'UTC'))`);
const presentText = (name: string): ScalarFunction =>
  fn(2, 2, (x, y) => `nullIf(${name}(${x}, ${y}), '')`);

/** The pieces of an address, as Hive, Spark and Snowflake call them. */
const PIECES: Readonly<Record<string, string>> = {
  HOST: 'domain',
  PATH: 'path',
  QUERY: 'queryString',
  PROTOCOL: 'protocol',
  REF: 'fragment',
};
const pieceOfUrl = fn(2, 3, (url, piece, key) => {
  const name = written('parse_url', piece).toUpperCase();
  if (name === 'QUERY' && key !== undefined) return `nullIf(extractURLParameter(${url}, ${key}), '')`; // prettier-ignore
  const own = Object.hasOwn(PIECES, name) ? PIECES[name] : undefined;
  if (own !== undefined) return `nullIf(${own}(${url}), '')`;
  throw new MillraceError('INVALID_SQL', `parse_url knows ${Object.keys(PIECES).join(', ')}, not ${quoteText(name)}`); // prettier-ignore
});

/** OpenObserve's: a time, and its buckets' width; an hour without it, as in search. */
const histogram = fn(1, 2, (time, width = "'1 hour'") => {
  const text = literal(width);
  const own = text === undefined ? undefined : bucket(writtenLength(text), time);
  if (own !== undefined) return own;
  throw new MillraceError('INVALID_SQL', "histogram takes a time and the width of its buckets, histogram(_timestamp, '5 minutes'); histogram(5)(x) counts values in 5 ranges"); // prettier-ignore
});

/** Functions of BigQuery, Athena (Trino), Spark, Snowflake and OpenObserve, by name in lower case. */
export const FUNCTIONS_OF_OTHERS: Readonly<Record<string, ScalarFunction>> = {
  format_timestamp: formatted('format_timestamp'),
  format_datetime: formatted('format_datetime'),
  format_date: formatted('format_date'),
  parse_timestamp: parsed('parse_timestamp', inUtc),
  parse_date: parsed('parse_date', (time) => `toDate32(${time})`),
  // MySQL's letters are the engine's.
  date_parse: fn(2, 2, (text, format) => inUtc(`parseDateTime64(${text}, ${format})`)),
  from_iso8601_timestamp: fn(1, 1, (text) => `parseDateTime64BestEffort(${text}, 6, 'UTC')`),
  from_iso8601_date: one('toDate32'),
  timestamp_seconds: since1970('Second'),
  timestamp_millis: since1970('Milli'),
  timestamp_micros: since1970('Micro'),
  unix_seconds: countOf('Second', 0),
  // Without a time MySQL's and Spark's is of now.
  unix_timestamp: fn(0, 1, (x = 'now()') => countOf('Second', 0).write(x)),
  unix_millis: countOf('Milli', 3),
  unix_micros: countOf('Micro', 6),
  to_unixtime: fn(1, 1, (x) => `(toUnixTimestamp64Micro(${inUtc(x)}) / 1000000)`),
  getdate: fn(0, 0, () => "now64(6, 'UTC')"),
  histogram,
  str_match: fn(2, 2, (x, y) => truth(`position(${x}, ${y}) > 0`)),
  str_match_ignore_case: fn(2, 2, (x, y) => truth(`positionCaseInsensitiveUTF8(${x}, ${y}) > 0`)),
  contains_substr: fn(2, 2, (x, y) => truth(`positionCaseInsensitiveUTF8(${x}, ${y}) > 0`)),
  re_match: fn(2, 2, (x, y) => truth(`match(${x}, ${y})`)),
  regexp_contains: fn(2, 2, (x, y) => truth(`match(${x}, ${y})`)),
  // The engine's own gives the first group, and an empty text for none.
  regexp_substr: fn(2, 2, (x, y) => `nullIf(regexpExtract(${x}, ${y}, 0), '')`),
  re_not_match: fn(2, 2, (x, y) => truth(`NOT match(${x}, ${y})`)),
  charindex: fn(2, 2, (x, y) => `positionUTF8(${y}, ${x})`),
  safe_divide: fn(2, 2, (x, y) => `((${x}) / nullIf(${y}, 0))`),
  iif: fn(3, 3, (x, y, z) => `if(${x}, ${y}, ${z})`),
  zeroifnull: fn(1, 1, (x) => `ifNull(${x}, 0)`),
  array_size: one('length'),
  size: one('length'),
  explode: one('arrayJoin'),
  json_parse: one('toString'),
  parse_json: one('toString'),
  parse_url: pieceOfUrl,
  url_extract_host: fn(1, 1, (x) => `nullIf(domain(${x}), '')`),
  url_extract_path: one('path'),
  url_extract_query: fn(1, 1, (x) => `nullIf(queryString(${x}), '')`),
  url_extract_protocol: fn(1, 1, (x) => `nullIf(protocol(${x}), '')`),
  url_extract_fragment: fn(1, 1, (x) => `nullIf(fragment(${x}), '')`),
  url_extract_port: fn(1, 1, (x) => `nullIf(port(${x}), 0)`),
  url_extract_parameter: presentText('extractURLParameter'),
};
