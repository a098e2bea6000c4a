import { quoteText, readBinaryType } from '@app/warehouse';
import { readElement, readEngineType, typeWithin } from './engine-type.js';

/** The way to read values of a type out of JSON. */
interface Reading {
  /** The type by which the engine takes them out of the text. */
  readonly taken: string;
  /** SQL that makes the type's values of those. */
  readonly make: (taken: string) => string;
  /** SQL that is true for a null, and for what the engine has in place of one. */
  readonly isNone: (taken: string) => string;
  /** The engine's type of the result; bytes are raw. */
  readonly type: string;
}

/** SQL of a column's values, and their type. */
interface GivenValues {
  readonly sql: string;
  readonly type: string;
}

/**
 * Reads the values of a column of JSON by the type that their source gave: structs, maps, and lists
 * of them. The engine reads single values from their text, so decimals keep their digits.
 * @param isRaw whether bytes are wanted, and not their base64.
 */
export function givenValues(column: string, type: string, isRaw: boolean): GivenValues {
  const isNullable = type.startsWith('Nullable(');
  const reading = readingOf(isNullable ? typeWithin(readEngineType(type)) : type, isRaw, 0);
  const text = `ifNull(toJSONString(${column}), '${isNullable || type.startsWith('Map(') ? '{}' : '[]'}')`;
  const taken = `JSONExtract(${text}, ${quoteText(reading.taken)})`;
  // The array gives the value a name, so that it is written once.
  const value = `arrayMap(v -> ${reading.make('v')}, [${taken}])[1]`;
  const whole = isNullable ? `Nullable(${reading.type})` : reading.type;
  const sql = isNullable ? `if(isNull(${column}), NULL, ${value})` : value;
  return { sql: `CAST(${sql}, ${quoteText(whole)})`, type: whole };
}

function readingOf(type: string, isRaw: boolean, depth: number): Reading {
  const read = readEngineType(type);
  const { name, parameters } = read;
  switch (name) {
    case 'Nullable': {
      const inner = typeWithin(read);
      return inner.startsWith('Tuple(')
        ? nullable(readingOf(inner, isRaw, depth))
        : singleValue(inner, isRaw);
    }
    case 'Array':
      return list(readingOf(typeWithin(read), isRaw, depth + 1), depth);
    case 'Map':
      return map(typeWithin(read), readingOf(typeWithin(read, 1), isRaw, depth + 1), depth);
    default:
      return struct(parameters, isRaw, depth);
  }
}

const asTaken = (taken: string): string => taken;
const isNull = (taken: string): string => `isNull(${taken})`;
const isEmpty = (taken: string): string => `empty(${taken})`;

function list(element: Reading, depth: number): Reading {
  const each = `v${depth}`;
  const of = (make: Reading['make'], values: string): string =>
    make === asTaken ? values : `arrayMap(${each} -> ${make(each)}, ${values})`;
  // The engine takes a list for empty when no struct in it has a field, so each is read by itself.
  const isOfStructs = element.taken.startsWith('Tuple(');
  const read = (text: string): string => `JSONExtract(${text}, ${quoteText(element.taken)})`;
  return {
    taken: `Array(${isOfStructs ? 'String' : element.taken})`,
    make:
      element.make === asTaken
        ? asTaken
        : (taken) => of(element.make, isOfStructs ? of(read, taken) : taken),
    isNone: isEmpty,
    type: `Array(${element.type})`,
  };
}

function map(key: string, value: Reading, depth: number): Reading {
  const each = `v${depth}`;
  const ofKey = key === 'String' ? asTaken : singleValue(key, false).make;
  const of = (list: string, make: Reading['make']): string =>
    make === asTaken ? list : `arrayMap(${each} -> ${make(each)}, ${list})`;
  return {
    taken: `Map(String, ${value.taken})`,
    make: (taken) => {
      const keys = of(`mapKeys(${taken})`, (text) => `assumeNotNull(${ofKey(text)})`);
      return `mapFromArrays(${keys}, ${of(`mapValues(${taken})`, value.make)})`;
    },
    isNone: isEmpty,
    type: `Map(${key}, ${value.type})`,
  };
}

function struct(parameters: readonly string[], isRaw: boolean, depth: number): Reading {
  const elements = parameters.map((parameter) => {
    const { name, type } = readElement(parameter);
    return { name, ...readingOf(type, isRaw, depth) };
  });
  const fields = (of: (element: Reading) => string): string =>
    elements.map((element) => `${element.name}${of(element)}`).join(', ');
  const each = (taken: string, of: (element: Reading) => Reading['make']): readonly string[] =>
    elements.map((element, at) => of(element)(`tupleElement(${taken}, ${at + 1})`));
  return {
    taken: `Tuple(${fields(({ taken }) => taken)})`,
    make: (taken) => `tuple(${each(taken, ({ make }) => make).join(', ')})`,
    isNone: (taken) => each(taken, ({ isNone }) => isNone).join(' AND '),
    type: `Tuple(${fields(({ type }) => type)})`,
  };
}

/**
 * A struct that is null is stored without its fields, but for lists and maps in it, which have no
 * null: they are empty.
 */
function nullable({ taken, make, isNone, type }: Reading): Reading {
  const isNullStruct = /\b(?:Array|Map)\(/.test(type) ? isNone : isNull;
  return {
    taken: `Nullable(${taken})`,
    make: (value) => `if(${isNullStruct(value)}, NULL, ${make(value)})`,
    isNone: isNullStruct,
    type: `Nullable(${type})`,
  };
}

/** A value that may be null. JSON itself has whole numbers, booleans and texts. */
function singleValue(type: string, isRaw: boolean): Reading {
  const binary = readBinaryType(type);
  if (binary && isRaw) {
    const wanted = `Nullable(${binary.bytes === undefined ? 'String' : `FixedString(${binary.bytes})`})`;
    const bytes = (text: string): string =>
      `if(isNull(${text}), NULL, base64Decode(ifNull(${text}, '')))`;
    return {
      taken: 'Nullable(String)',
      make: (text) => `CAST(${bytes(text)}, ${quoteText(wanted)})`,
      isNone: isNull,
      type: wanted,
    };
  }
  if (binary) return asItIs('Nullable(String)');
  const whole = `Nullable(${type})`;
  const made = (value: (text: string) => string): Reading => ({
    taken: 'Nullable(String)',
    make: (text) => `CAST(${value(text)}, ${quoteText(whole)})`,
    isNone: isNull,
    type: whole,
  });
  if (/^(?:U?Int\d+|Bool|String)$/.test(type)) return asItIs(whole);
  if (type === 'Date32') return made(dayOf);
  const [, digits] = /^DateTime64\((\d)/.exec(type) ?? [];
  return made(digits === undefined ? asTaken : (text) => momentOf(text, digits));
}

const asItIs = (type: string): Reading => ({ taken: type, make: asTaken, isNone: isNull, type });

/** The calendar turns once in 400 years. The engine reads one whole turn from this year on. */
const [FIRST_YEAR, TURN_YEARS, TURN_DAYS] = [1900, 400, 146_097];
/** So many turns before that, no source has days. */
const TURNS = 100_000;
const SECONDS_A_DAY = 86_400;
const DAY_0 = '1970-01-01';
/** `-MM-DD` */
const BEHIND_YEAR = 6;

/** SQL: the day of a text of ISO 8601, of every year. Lambdas would make its analysis slow. */
const dayOf = (text: string): string =>
  `if(isNull(${text}), NULL, addDays(toDate32('${DAY_0}'), ${daysOf(dayIn(text))}))`;

/** SQL: the time of a text of ISO 8601, of every year that its unit reaches. */
function momentOf(text: string, digits: string): string {
  // A day alone is its midnight.
  const [day, clock] = [1, 2].map(
    (at) => `splitByChar('T', concat(${dayIn(text)}, 'T00:00:00'))[${at}]`,
  );
  const time = `toDateTime64(concat('${DAY_0}T', replaceOne(${clock}, 'Z', '')), ${digits}, 'UTC')`;
  return `if(isNull(${text}), NULL, addSeconds(${time}, ${SECONDS_A_DAY} * ${daysOf(String(day))}))`;
}

const dayIn = (text: string): string => `ifNull(${text}, '${DAY_0}')`;

/** SQL: days since 1970. A year outside the engine's is read as one within, some turns off. */
function daysOf(day: string): string {
  const year = `toInt64(substring(${day}, 1, length(${day}) - ${BEHIND_YEAR}))`;
  const since = `(${year} + ${TURNS * TURN_YEARS - FIRST_YEAR})`;
  const date = `toDate32(concat(toString(${FIRST_YEAR} + ${since} % ${TURN_YEARS}), substring(${day}, -${BEHIND_YEAR})))`;
  return `(toInt32(${date}) + ${TURN_DAYS} * (intDiv(${since}, ${TURN_YEARS}) - ${TURNS}))`;
}
