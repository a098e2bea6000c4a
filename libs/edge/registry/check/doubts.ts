import { quoteText } from '@app/warehouse';

const DAYS =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
const LEAP_DAYS =
  '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29';
/** A day that a calendar has, as ISO 8601 writes it. */
const DAY = `(?:[0-9]{4}-${DAYS}|${LEAP_DAYS})`;
const ZONE = '(?: ?(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?))?';
const timeOf = (digits: number): string =>
  `^${DAY}(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{${Math.min(digits, 1)},${digits}}0*)?)?${ZONE})?$`;
/** A time that every type of times has. */
export const PLAIN_TIME = `^(?:19(?:0[1-9]|[1-9][0-9])|2[01][0-9]{2})-${DAYS}[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,6})?)?${ZONE}$`;
/** The type of times that are inferred. */
export const MICROSECONDS = "DateTime64(6, 'UTC')";
const DECIMAL_DIGITS = 76;
/** Up to it a float holds all integers. */
const EXACT_FLOAT = 2n ** 53n;
/** Years that a day can have. */
const DAY_YEARS = '^(?:19|2[0-2])';
/** SQL that tells whether a text is a day that the type of days has. */
export const isDay = (text: string): string =>
  `(${match(text, `^${DAY}$`)} AND ${match(text, DAY_YEARS)})`;
/** Years that a time with nanoseconds can have. */
const NANOSECOND_YEARS = '^(?:19[0-9]{2}|2[01][0-9]{2}|22[0-5][0-9]|226[01])';
/** The seconds since 1970 that a time can have, and those of one with nanoseconds. */
const SECONDS = '-2208988800 AND 10413791999';
const NANOSECOND_SECONDS = '-9223372036 AND 9223372036';
/** A number as JSON writes it. */
const NUMBER = '^-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][-+]?[0-9]+)?$';
/** Integers without leading zeros. Digits with leading zeros are a code and no number. */
const INTEGERS: Readonly<Record<Notation, string>> = {
  csv: '^-?(?:0|[1-9][0-9]*)$',
  'declared csv': '^[-+]?[0-9]+$',
  json: '^-?(?:0|[1-9][0-9]*)$',
};
/** A number with a plus, or with zeros before it, is a code and no number: a telephone's, or a bank's. */
const CODE = '^(?:[+]|-?0[0-9])';
/** A text within JSON. */
const TEXT = '"(?:[^"\\\\]|\\\\.)*"';

/** Conditions on a text, each for a way in which a type would change it. */
interface Doubt {
  /** The value differs from the text. */
  readonly isOther: string;
  /** The value lacks some of the text's digits, and nanoseconds would keep them. */
  readonly isFiner?: string;
  /** Nanoseconds do not reach the text's year. */
  readonly isFar?: string;
}

/** The notation of a value. In a declared column of numbers, `+1` and `007` are allowed, too. */
type Notation = 'csv' | 'declared csv' | 'json';

/**
 * Gives the conditions under which the engine would read another value.
 * @param text SQL of the text as it is written; without the blanks around it, where the engine passes over
 *   them
 * @param type the type that it is read by
 */
export function doubtOf(text: string, type: string, notation: Notation): Doubt | undefined {
  const integer = /^(U?)Int(8|16|32|64)$/.exec(type);
  if (integer)
    return { isOther: isNoInteger(text, integer[1] === '', Number(integer[2]), notation) };
  const decimal = /^Decimal\((\d+), (\d+)\)$/.exec(type);
  if (decimal) return { isOther: hasMoreDigits(text, Number(decimal[2])) };
  const time = /^DateTime64\((\d)/.exec(type);
  if (time && type !== MICROSECONDS) {
    const unit = Number(time[1]);
    const isFar = `(${match(text, timeOf(9))} AND NOT ${match(text, NANOSECOND_YEARS)})`;
    const isOther = isNoTime(text, unit, { unit, notation });
    return { isOther: unit === 9 ? `${isOther} OR ${isFar}` : isOther };
  }
  switch (type) {
    case 'Float32':
    case 'Float64':
      return { isOther: isNoFloat(text, type, notation) };
    case 'Bool':
      return { isOther: `${text} NOT IN ('true', 'false')` };
    case 'Date32':
      return {
        isOther: `toString(toDate32OrZero(${text})) != ${text} AND (NOT ${match(`replaceAll(${text}, '/', '-')`, `^${DAY}$`)} OR NOT ${match(text, DAY_YEARS)})`,
      };
    case MICROSECONDS:
      return {
        // A day alone is shown as a moment if no type of days holds it. Declared times may be numbers.
        isOther: `${isNoTime(text, 9, { unit: 6, notation })} OR (${notation === 'csv' ? '' : `${match(text, `^${DAY}$`)} AND `}NOT ${match(text, DAY_YEARS)})`,
        isFiner: isNoTime(text, 6, { unit: 6, notation }),
        isFar: `NOT ${match(text, NANOSECOND_YEARS)}`,
      };
    case 'Dynamic':
      return { isOther: isChangedWithin(text) };
    default:
      return undefined;
  }
}

/**
 * A column of declared times may hold numbers, too: of the unit in JSON, and of seconds in CSV.
 * @param digits behind the second that are taken
 * @param of the unit of the type, by its digits behind the second, and the notation
 */
function isNoTime(
  text: string,
  digits: number,
  { unit, notation }: { readonly unit: number; readonly notation: Notation },
): string {
  const isOther = `NOT ${match(text, timeOf(digits))}`;
  if (notation === 'csv') return isOther;
  const fraction = `(?:[.][0-9]{${Math.min(digits, 1)},${digits}}0*)?`;
  const seconds = `toFloat64OrZero(${text})${notation === 'json' ? ` / 1e${unit}` : ''}`;
  const isThere = `${seconds} BETWEEN ${unit === 9 ? NANOSECOND_SECONDS : SECONDS}`;
  return `${isOther} AND NOT (${match(text, `^-?[0-9]{5,}${fraction}$`)} AND ${isThere})`;
}

/** The engine cuts off digits that the type does not have. */
function hasMoreDigits(text: string, scale: number): string {
  const exact = (digits: number): string => `toDecimal256OrZero(${text}, ${digits})`;
  const most = DECIMAL_DIGITS / 2;
  return `${match(text, `[.][0-9]{${most}}[0-9]*[1-9]`)} OR ${exact(most)} != ${exact(scale)}`;
}

const match = (value: string, pattern: string): string => `match(${value}, ${quoteText(pattern)})`;

function isNoInteger(text: string, isSigned: boolean, bits: number, notation: Notation): string {
  const pattern = INTEGERS[notation];
  // The largest values have one digit more than those that certainly fit.
  const most = 2n ** BigInt(isSigned ? bits - 1 : bits) - 1n;
  const least = isSigned ? -most - 1n : 0n;
  const digits = String(most).length - 1;
  const exact = `toInt256OrZero(replaceOne(${text}, '+', ''))`;
  const beyond = `${exact} < toInt256('${least}') OR ${exact} > toInt256('${most}')`;
  const none = `NOT ${match(text, pattern)} OR (length(${text}) > ${isSigned ? digits : 0} AND (length(${text}) > 76 OR ${beyond}))`;
  // Most values are decided quickly, because they are written as the engine writes them.
  const type = `${isSigned ? '' : 'U'}Int${bits}`;
  return `toString(to${type}OrZero(${text})) != ${text} AND (${none})`;
}

function isNoFloat(text: string, type: 'Float32' | 'Float64', notation: Notation): string {
  const isWhole = match(text, '^[-+]?[0-9]{1,76}$');
  // All shorter values fit.
  const isLong = `length(${text}) > ${type === 'Float32' ? 7 : 15}`;
  const float = `to${type}OrZero(${text})`;
  const exact = `toInt256OrZero(replaceOne(${text}, '+', ''))`;
  const none =
    notation === 'json'
      ? `NOT ${match(text, NUMBER)} OR `
      : notation === 'csv'
        ? `${match(text, CODE)} OR (${isLong} AND ${isWhole} AND abs(${exact}) > toInt256('${EXACT_FLOAT}')) OR `
        : '';
  const other =
    `${none}to${type}OrNull(${text}) IS NULL OR ${match(text, '^[-+]?[0-9]{77,}$')}` +
    ` OR (isInfinite(${float}) AND ${match(text, '[0-9]')}) OR (${float} = 0 AND ${match(text, '^[^eEnN]*[1-9]')})` +
    ` OR (${isLong} AND ${isWhole} AND ${exact} != toInt256(if(${isLong} AND ${isWhole}, ${float}, 0)))`;
  // Most values are decided quickly, because they are short and not zero.
  const isPlain = `NOT ${isLong} AND isFinite(${float}) AND ${float} != 0 AND NOT startsWith(${text}, '-0') AND NOT startsWith(${text}, '+') AND (NOT startsWith(${text}, '0') OR startsWith(${text}, '0.'))`;
  return `NOT (${isPlain}) AND (${other})`;
}

/** The elements of a list of several kinds. Values within them have one type for all. */
function isChangedWithin(text: string): string {
  const bare = `replaceRegexpAll(${text}, ${quoteText(TEXT)}, '""')`;
  const numbers = `extractAll(${bare}, '-?[0-9][-+.0-9eE]*')`;
  const isNumber = match(text, NUMBER);
  const isLost = `toFloat64OrNull(n) IS NULL OR isInfinite(toFloat64OrZero(n)) OR (toFloat64OrZero(n) = 0 AND match(n, '^[^eE]*[1-9]')) OR match(n, '^-?[0-9]{16,}$')`;
  return `(${match(text, '^[[{]')} AND (arrayExists(n -> ${isLost}, ${numbers}) OR (${match(bare, '[0-9]')} AND ${match(bare, 'true|false')}))) OR (${isNumber} AND (${isNoFloat(text, 'Float64', 'json')}) AND (${isNoInteger(text, true, 64, 'json')}))`;
}
