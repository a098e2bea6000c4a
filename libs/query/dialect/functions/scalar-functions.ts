import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { tokenize } from '../../search/statement-tokens.js';
import { engineFormat } from '../times/time-formats.js';
import { triedCast } from '../casts/tried-casts.js';
import { isOfSeconds, wholeSeconds } from '../times/whole-seconds.js';

/** A function of other systems in the engine's words. */
interface ScalarFunction {
  readonly fewest: number;
  readonly most: number;
  /** Of arguments that are written out already. */
  readonly write: (...args: string[]) => string;
}

const fn = (fewest: number, most: number, write: ScalarFunction['write']): ScalarFunction => ({
  fewest,
  most,
  write,
});
const one = (name: string): ScalarFunction => fn(1, 1, (x) => `${name}(${x})`);
const two = (name: string): ScalarFunction => fn(2, 2, (x, y) => `${name}(${x}, ${y})`);
const truth = (condition: string): string => `CAST(${condition}, 'Bool')`;
const isText = (x: string): string => `match(toTypeName(${x}), 'String')`;

/** Reads the text of a literal. It is undefined for anything else. */
function literal(argument: string): string | undefined {
  const [token, more] = tokenize(argument);
  return token?.kind === 'text' && more === undefined ? token.value : undefined;
}

function written(name: string, argument: string): string {
  const text = literal(argument);
  if (text === undefined)
    throw new MillraceError('INVALID_SQL', `${name} wants this argument written out, as a text`);
  return text;
}

/** A time of a text, or of a number of so many parts of a second. */
const timestamp = (digits: number, unit: string): ScalarFunction =>
  fn(1, 2, (x, format) =>
    format === undefined
      ? `if(${isText(x)}, parseDateTime64BestEffort(toString(${x}), ${digits}, 'UTC'), if(match(toTypeName(${x}), 'Int|Float|Decimal'), fromUnixTimestamp64${unit}(toInt64(${x}), 'UTC'), toDateTime64(${x}, ${digits}, 'UTC')))`
      : parsedTime('to_timestamp', x, format),
  );
const parsedTime = (name: string, x: string, format: string): string =>
  `toDateTime64(parseDateTime64(${x}, ${quoteText(engineFormat(written(name, format)))}), 6, 'UTC')`;
const formatted = (name: string): ScalarFunction =>
  fn(2, 2, (x, y) => {
    const [time, format] = literal(y) === undefined && literal(x) !== undefined ? [y, x] : [x, y];
    return `formatDateTime(${time}, ${quoteText(engineFormat(written(name, format)))})`;
  });

/** A point in time is one of UTC where nobody says another zone: without one it would be a time of nowhere. */
const withZone = (unit: string): ScalarFunction =>
  fn(1, 2, (x, zone = "'UTC'") => `fromUnixTimestamp64${unit}(${x}, ${zone})`);

const INTERVAL = /^(?:toInterval|\(toInterval)/;
const UNITS =
  /^\s*(\d{1,9})\s*(microsecond|millisecond|second|minute|hour|day|week|month|year)s?\s*$/i;

/** `INTERVAL '5 minutes'`, in which the unit stands in the text. */
function interval(argument: string): string {
  if (INTERVAL.test(argument)) return argument;
  const [, count = '', unit = ''] = UNITS.exec(literal(argument) ?? '') ?? [];
  if (unit === '') return argument;
  return `toInterval${unit.charAt(0).toUpperCase()}${unit.slice(1).toLowerCase()}(${count})`;
}

/** Postgres and DataFusion have the interval first, the engine has the time first. */
const bins = fn(2, 3, (x, y, origin) => {
  const [width, time] = INTERVAL.test(y) || UNITS.test(literal(y) ?? '') ? [y, x] : [x, y];
  const from = origin === undefined ? '' : `, toDateTime64(${origin}, 6, 'UTC')`;
  const point = `toDateTime64(${time}, 6, 'UTC')`;
  const step = interval(width);
  return `toStartOfInterval(${isOfSeconds(step) ? wholeSeconds(point) : point}, ${step}${from})`;
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
const datePart = fn(2, 2, (part, x) => {
  const name = written('date_part', part).toLowerCase();
  const write = Object.hasOwn(DATE_PARTS, name) ? DATE_PARTS[name] : undefined;
  if (write) return write(x);
  const known = Object.keys(DATE_PARTS).join(', ');
  throw new MillraceError('INVALID_SQL', `date_part knows ${known}, not ${quoteText(name)}`);
});

/** With flags as Postgres has them: `i`, `m`, `s`, and `g` for all. */
const pattern = (argument: string, flags: string | undefined): string => {
  const kept = flags === undefined ? '' : written('flags', flags).replace(/[^ims]/g, '');
  return kept === '' ? argument : `concat('(?${kept})', ${argument})`;
};
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
const INDEX_OF = fn(2, 2, (list, x) => `nullIf(indexOf(${list}, ${x}), 0)`);
const SLICE = fn(
  3,
  3,
  (list, from, to) => `arraySlice(${list}, ${from}, ((${to}) - (${from})) + 1)`,
);
const HAS = fn(2, 2, (list, x) => truth(`has(${list}, ${x})`));
const LENGTH = fn(1, 2, (list) => `length(${list})`);

/** By name, in lower case. */
export const SCALAR_FUNCTIONS: Readonly<Record<string, ScalarFunction>> = {
  split_part: fn(
    3,
    3,
    (x, by, n) =>
      `if(isNull(${x}), NULL, arrayElement(splitByString(${by}, ifNull(${x}, '')), ${n}))`,
  ),
  strpos: two('positionUTF8'),
  btrim: fn(1, 2, (x, y) => (y === undefined ? `trimBoth(${x})` : `trimBoth(${x}, ${y})`)),
  starts_with: fn(2, 2, (x, y) => truth(`startsWith(${x}, ${y})`)),
  ends_with: fn(2, 2, (x, y) => truth(`endsWith(${x}, ${y})`)),
  contains: CONTAINS,
  chr: fn(1, 1, (x) => `decodeHTMLComponent(concat('&#', toString(${x}), ';'))`),
  to_hex: fn(1, 1, (x) => `if((${x}) = 0, '0', trimLeft(lower(hex(${x})), '0'))`),
  string_to_array: fn(2, 2, (x, by) => `splitByString(${by}, ${x})`),
  regexp_like: fn(2, 3, (x, y, flags) => truth(`match(${x}, ${pattern(y, flags)})`)),
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
  time_bucket: bins,
  date_part: datePart,
  datepart: datePart,
  dayname: fn(1, 1, (x) => `dateName('weekday', ${x})`),
  monthname: fn(1, 1, (x) => `dateName('month', ${x})`),
  make_date: fn(3, 3, (year, month, day) => `makeDate32(${year}, ${month}, ${day})`),
  make_timestamp: fn(
    6,
    6,
    (year, month, day, hour, minute, second) =>
      `makeDateTime64(${year}, ${month}, ${day}, ${hour}, ${minute}, toUInt8(floor(${second})), toUInt32(round(((${second}) - floor(${second})) * 1000000)), 6, 'UTC')`,
  ),
  epoch: fn(1, 1, (x) => `(toUnixTimestamp64Micro(toDateTime64(${x}, 6, 'UTC')) / 1000000)`),
  epoch_ms: fn(1, 1, (x) => `toUnixTimestamp64Milli(toDateTime64(${x}, 3, 'UTC'))`),
  try_cast: fn(2, 2, (x, type) => triedCast(x, written('try_cast', type))),
  nvl: two('ifNull'),
  nvl2: fn(3, 3, (x, y, z) => `if(isNotNull(${x}), ${y}, ${z})`),
  nanvl: fn(2, 2, (x, y) => `if(isNaN(${x}), ${y}, ${x})`),
  random: fn(0, 0, () => 'randCanonical()'),
  now64: fn(0, 2, (digits = '3', zone = "'UTC'") => `now64(${digits}, ${zone})`),
  fromunixtimestamp64second: withZone('Second'),
  fromunixtimestamp64milli: withZone('Milli'),
  fromunixtimestamp64micro: withZone('Micro'),
  fromunixtimestamp64nano: withZone('Nano'),
  uuid: fn(0, 0, () => 'generateUUIDv4()'),
  gen_random_uuid: fn(0, 0, () => 'generateUUIDv4()'),
  signum: one('sign'),
  cot: fn(1, 1, (x) => `(1 / tan(${x}))`),
  typeof: one('toTypeName'),
  arrow_typeof: one('toTypeName'),
  array_length: LENGTH,
  list_length: LENGTH,
  array_has: HAS,
  array_contains: HAS,
  list_contains: HAS,
  array_has_all: fn(2, 2, (x, y) => truth(`hasAll(${x}, ${y})`)),
  array_has_any: fn(2, 2, (x, y) => truth(`hasAny(${x}, ${y})`)),
  array_position: INDEX_OF,
  list_position: INDEX_OF,
  array_append: two('arrayPushBack'),
  list_append: two('arrayPushBack'),
  array_prepend: fn(2, 2, (x, list) => `arrayPushFront(${list}, ${x})`),
  array_cat: two('arrayConcat'),
  array_concat: two('arrayConcat'),
  list_concat: two('arrayConcat'),
  array_distinct: one('arrayDistinct'),
  list_distinct: one('arrayDistinct'),
  array_sort: one('arraySort'),
  list_sort: one('arraySort'),
  array_reverse: one('arrayReverse'),
  list_reverse: one('arrayReverse'),
  array_slice: SLICE,
  list_slice: SLICE,
  list_max: one('arrayMax'),
  list_min: one('arrayMin'),
  list_sum: one('arraySum'),
  array_max: one('arrayMax'),
  array_min: one('arrayMin'),
  array_sum: one('arraySum'),
  array_element: two('arrayElement'),
  array_intersect: two('arrayIntersect'),
  array_union: fn(2, 2, (x, y) => `arrayDistinct(arrayConcat(${x}, ${y}))`),
  array_except: two('arrayExcept'),
};
