import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { hasType } from '../casts/known-type.js';
import { engineFormat } from '../times/time-formats.js';
import { isOfSeconds, wholeSeconds } from '../times/whole-seconds.js';
import { JSON_FUNCTIONS } from '../json/json-functions.js';
import { madeDate, madeTimestamp } from '../times/made-times.js';
import { SUBSTRINGS } from '../texts/substrings.js';
import { bucket, bucketFrom, bucketInZone } from '../times/time-buckets.js';
import { isLength, writtenLength } from '../lengths/written-intervals.js';
import { age, LENGTHS_OF_TIME } from '../lengths/lengths-of-time.js';
import { FUNCTIONS_OF_OTHERS } from '../others/functions-of-others.js';
import { LIST_FUNCTIONS } from './list-functions.js';
import { fn, literal, one, truth, two, written, type ScalarFunction } from './scalar-function.js';

const isText = (x: string): string => hasType(x, 'String');

/** Makes a time from a text, or from a number in these fractions of a second. */
const timestamp = (digits: number, unit: string): ScalarFunction =>
  fn(1, 2, (x, format) =>
    format === undefined
      ? `if(${isText(x)}, parseDateTime64BestEffort(toString(${x}), ${digits}, 'UTC'), if(${hasType(x, 'Int|Float|Decimal')}, fromUnixTimestamp64${unit}(toInt64(${x}), 'UTC'), toDateTime64(${x}, ${digits}, 'UTC')))`
      : parsedTime('to_timestamp', x, format),
  );
const parsedTime = (name: string, x: string, format: string): string =>
  `toDateTime64(parseDateTime64(${x}, ${quoteText(engineFormat(written(name, format)))}), 6, 'UTC')`;
const formatted = (name: string): ScalarFunction =>
  fn(2, 2, (x, y) => {
    const [time, format] = literal(y) === undefined && literal(x) !== undefined ? [y, x] : [x, y];
    return `formatDateTime(${time}, ${quoteText(engineFormat(written(name, format)))})`;
  });

/** Postgres' places for arguments: the engine's function would leave them as they are. */
const format = fn(2, 100, (pattern, ...args) => {
  if (/%(?:\d+\$)?-?\d*[sIL]/.test(literal(pattern ?? '') ?? '') && !/[{}]/.test(pattern ?? ''))
    throw new MillraceError('INVALID_SQL', "format has {} for each argument here, format('{} of {}', a, b); printf('%s of %s', a, b) reads %s"); // prettier-ignore
  return `format(${[pattern, ...args].join(', ')})`;
});

/** A point in time is in UTC unless a zone is given. Without a zone it would be a local time. */
const now = fn(0, 0, () => "now64(6, 'UTC')");
const withZone = (unit: string): ScalarFunction =>
  fn(1, 2, (x, zone = "'UTC'") => `fromUnixTimestamp64${unit}(${x}, ${zone})`);

const INTERVAL = /^(?:toInterval|\(toInterval)/;

/** `INTERVAL '5 minutes'`, whose unit is in the text. */
function interval(argument: string): string {
  if (INTERVAL.test(argument)) return argument;
  const text = literal(argument);
  return text === undefined || !isLength(text) ? argument : writtenLength(text);
}

/** Postgres and DataFusion have the interval first, and the engine has the time first. */
const bins = fn(2, 3, (x, y, origin) => {
  const [width, time] = INTERVAL.test(y) || isLength(literal(y) ?? '') ? [y, x] : [x, y];
  const from = origin === undefined ? '' : `, toDateTime64(${origin}, 6, 'UTC')`;
  const point = `toDateTime64(${time}, 6, 'UTC')`;
  const step = interval(width);
  const own = origin === undefined ? undefined : bucketFrom(step, time, origin);
  return (
    own ?? `toStartOfInterval(${isOfSeconds(step) ? wholeSeconds(point) : point}, ${step}${from})`
  );
});

/**
 * DuckDB and Timescale count buckets from Monday, 3 January 2000, and buckets of months from
 * January 2000.
 */
const buckets = fn(2, 3, (x, y, origin) => {
  const [width, time] = INTERVAL.test(y) || isLength(literal(y) ?? '') ? [y, x] : [x, y];
  const step = interval(width);
  const own = origin === undefined ? bucket(step, time) : bucketInZone(step, time, origin);
  return own ?? bins.write(...[x, y, origin].filter((each) => each !== undefined));
});

const DATE_PARTS: Readonly<Record<string, (x: string) => string>> = {
  year: (x) => `toYear(${x})`,
  quarter: (x) => `toQuarter(${x})`,
  month: (x) => `toMonth(${x})`,
  week: (x) => `toISOWeek(${x})`,
  day: (x) => `toDayOfMonth(${x})`,
  doy: (x) => `toDayOfYear(${x})`,
  dow: (x) => `modulo(toDayOfWeek(${x}), 7)`,
  isodow: (x) => `toDayOfWeek(${x})`,
  hour: (x) => `toHour(${x})`,
  minute: (x) => `toMinute(${x})`,
  second: (x) => `toSecond(${x})`,
  epoch: (x) => `(toUnixTimestamp64Micro(toDateTime64(${x}, 6, 'UTC')) / 1000000)`,
};
const datePart = fn(2, 2, (named, x) => {
  const name = written('date_part', named).toLowerCase();
  const write = Object.hasOwn(DATE_PARTS, name) ? DATE_PARTS[name] : undefined;
  if (write) return write(x);
  const known = Object.keys(DATE_PARTS).join(', ');
  throw new MillraceError('INVALID_SQL', `date_part knows ${known}, not ${quoteText(name)}`);
});

/** Writes a pattern with flags as Postgres has them: `i`, `m`, `s`, and `g` for all. */
const pattern = (argument: string, flags: string | undefined): string => {
  const kept = flags === undefined ? '' : written('flags', flags).replace(/[^ims]/g, '');
  return kept === '' ? argument : `concat('(?${kept})', ${argument})`;
};
const likePattern = fn(2, 3, (x, y, flags) => truth(`match(${x}, ${pattern(y, flags)})`));
const matched = fn(2, 3, (x, regexp, flags) => {
  const given = pattern(regexp, flags);
  const groups = /\((?!\?)|\(\?P?</.test((literal(regexp) ?? '(').replace(/\\./g, ''));
  const found = groups
    ? `extractGroups(ifNull(${x}, ''), ${given})`
    : `[extract(ifNull(${x}, ''), ${given})]`;
  return `if(ifNull(match(${x}, ${given}), 0), ${found}, [])`;
});
const replaced = fn(3, 4, (x, regexp, by, flags) => {
  const all = flags !== undefined && written('regexp_replace', flags).includes('g');
  return `replaceRegexp${all ? 'All' : 'One'}(${x}, ${pattern(regexp, flags)}, ${by})`;
});

const CONTAINS = fn(2, 2, (x, y) => truth(`position(${x}, ${y}) > 0`));
const SPLIT = fn(2, 2, (x, by) => `splitByString(${by}, ${x})`);

/** The functions by name, in lower case. */
export const SCALAR_FUNCTIONS: Readonly<Record<string, ScalarFunction>> = {
  split_part: fn(
    3,
    3,
    (x, by, n) =>
      `if(isNull(${x}), NULL, arrayElement(splitByString(${by}, ifNull(${x}, '')), ${n}))`,
  ),
  concat_ws: fn(
    2,
    1000,
    (by, ...texts) =>
      `if(isNull(${by}), NULL, arrayStringConcat([${texts.map((x) => `CAST(${x}, 'Nullable(String)')`).join(', ')}], ${by}))`,
  ),
  strpos: two('positionUTF8'),
  overlay: fn(3, 4, (...args) => `overlayUTF8(${args.join(', ')})`),
  btrim: fn(1, 2, (x, y) => (y === undefined ? `trimBoth(${x})` : `trimBoth(${x}, ${y})`)),
  starts_with: fn(2, 2, (x, y) => truth(`startsWith(${x}, ${y})`)),
  ends_with: fn(2, 2, (x, y) => truth(`endsWith(${x}, ${y})`)),
  contains: CONTAINS,
  chr: fn(1, 1, (x) => `decodeHTMLComponent(concat('&#', toString(${x}), ';'))`),
  to_hex: fn(1, 1, (x) => `if((${x}) = 0, '0', trimLeft(lower(hex(toInt64(${x}))), '0'))`),
  string_to_array: SPLIT,
  string_split: SPLIT,
  str_split: SPLIT,
  split: SPLIT,
  string_split_regex: fn(2, 2, (x, y) => `splitByRegexp(${y}, ${x})`),
  prefix: fn(2, 2, (x, y) => truth(`startsWith(${x}, ${y})`)),
  suffix: fn(2, 2, (x, y) => truth(`endsWith(${x}, ${y})`)),
  strip_accents: one('removeDiacriticsUTF8'),
  nfc_normalize: one('normalizeUTF8NFC'),
  find_in_set: fn(
    2,
    2,
    (x, list) => `if(isNull(${x}), NULL, indexOf(splitByChar(',', ${list}), ${x}))`,
  ),
  url_encode: one('encodeURLComponent'),
  url_decode: one('decodeURLComponent'),
  jaro_similarity: two('jaroSimilarity'),
  jaro_winkler_similarity: two('jaroWinklerSimilarity'),
  regexp_full_match: fn(2, 3, (x, y, flags) =>
    truth(`match(${x}, ${pattern(`concat('^(?:', ${y}, ')$')`, flags)})`),
  ),
  regexp_like: likePattern,
  regexp_matches: likePattern,
  regexp_match: matched,
  regexp_replace: replaced,
  regexp_count: two('countMatches'),
  regexp_split_to_array: fn(2, 2, (x, y) => `splitByRegexp(${y}, ${x})`),
  levenshtein: two('levenshteinDistanceUTF8'),
  to_timestamp: fn(1, 2, (x, format) =>
    format === undefined
      ? `if(${isText(x)}, parseDateTime64BestEffort(toString(${x}), 6, 'UTC'), toDateTime64(${x}, 6, 'UTC'))`
      : parsedTime('to_timestamp', x, format),
  ),
  to_timestamp_seconds: timestamp(0, 'Second'),
  to_timestamp_millis: timestamp(3, 'Milli'),
  to_timestamp_micros: timestamp(6, 'Micro'),
  to_timestamp_nanos: timestamp(9, 'Nano'),
  to_date: fn(1, 2, (x, format) =>
    format === undefined ? `toDate32(${x})` : `toDate32(${parsedTime('to_date', x, format)})`,
  ),
  strptime: fn(2, 2, (x, format) => parsedTime('strptime', x, format)),
  to_char: formatted('to_char'),
  strftime: formatted('strftime'),
  date_bin: bins,
  time_bucket: buckets,
  date_part: datePart,
  datepart: datePart,
  dayname: fn(1, 1, (x) => `dateName('weekday', ${x})`),
  monthname: fn(1, 1, (x) => `dateName('month', ${x})`),
  make_date: madeDate,
  make_timestamp: madeTimestamp,
  epoch: fn(1, 1, (x) => `(toUnixTimestamp64Micro(toDateTime64(${x}, 6, 'UTC')) / 1000000)`),
  epoch_ms: fn(1, 1, (x) => `toUnixTimestamp64Milli(toDateTime64(${x}, 3, 'UTC'))`),
  ...LENGTHS_OF_TIME,
  age: fn(2, 4, age),
  grouping_id: fn(1, 64, (...keys) => `grouping(${keys.join(', ')})`),
  pg_typeof: one('toTypeName'),
  isinf: one('isInfinite'),
  bit_count: one('bitCount'),
  bit_length: fn(1, 1, (x) => `(length(${x}) * 8)`),
  base64: one('base64Encode'),
  regexp_extract_all: fn(2, 2, (x, y) => `extractAll(${x}, ${y})`),
  weekofyear: one('toISOWeek'),
  isodow: one('toDayOfWeek'),
  isoyear: one('toISOYear'),
  // The engine's parser turns decades, centuries and millennia into this function.
  __toyearcalendaronly: one('toYear'),
  map_keys: one('mapKeys'),
  map_values: one('mapValues'),
  map_contains: fn(2, 2, (x, y) => truth(`mapContains(${x}, ${y})`)),
  try_strptime: fn(
    2,
    2,
    (x, format) =>
      `parseDateTime64OrNull(${x}, ${quoteText(engineFormat(written('try_strptime', format)))})`,
  ),
  epoch_us: fn(1, 1, (x) => `toUnixTimestamp64Micro(toDateTime64(${x}, 6, 'UTC'))`),
  epoch_ns: fn(1, 1, (x) => `toUnixTimestamp64Nano(toDateTime64(${x}, 9, 'UTC'))`),
  add_months: two('addMonths'),
  iff: fn(3, 3, (x, y, z) => `if(${x}, ${y}, ${z})`),
  gamma: one('tgamma'),
  nvl: two('ifNull'),
  nvl2: fn(3, 3, (x, y, z) => `if(isNotNull(${x}), ${y}, ${z})`),
  nanvl: fn(2, 2, (x, y) => `if(isNaN(${x}), ${y}, ${x})`),
  random: fn(0, 0, () => 'randCanonical()'),
  now64: fn(0, 2, (digits = '3', zone = "'UTC'") => `now64(${digits}, ${zone})`),
  clock_timestamp: now,
  format,
  statement_timestamp: now,
  transaction_timestamp: now,
  fromunixtimestamp64second: withZone('Second'),
  fromunixtimestamp64milli: withZone('Milli'),
  fromunixtimestamp64micro: withZone('Micro'),
  fromunixtimestamp64nano: withZone('Nano'),
  uuid: fn(0, 0, () => 'generateUUIDv4()'),
  gen_random_uuid: fn(0, 0, () => 'generateUUIDv4()'),
  signum: one('sign'),
  div: two('intDiv'),
  log: fn(1, 2, (x, y) => (y === undefined ? `log(${x})` : `(log(${y}) / log(${x}))`)),
  cot: fn(1, 1, (x) => `(1 / tan(${x}))`),
  typeof: one('toTypeName'),
  arrow_typeof: one('toTypeName'),
  ...FUNCTIONS_OF_OTHERS,
  ...SUBSTRINGS,
  ...LIST_FUNCTIONS,
  ...JSON_FUNCTIONS,
};
