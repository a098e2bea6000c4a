import { quoteText } from '@app/warehouse';
import { isTimeField, spooledType } from '@app/acceptance';
import type { Field } from '@app/arrow';
import { brokenTable } from './sources/table-folder.js';

/**
 * No number of a column needs more characters, and patterns are slow for some texts that are
 * longer.
 */
const NUMBER_LENGTH_MAX = 400;
const INTEGER = /^-?\d{1,20}$/;
/** Spark writes Infinity, delta-rs inf. */
const FLOAT = /^-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|Infinity|inf|NaN)$/;
const BOOLEAN = /^(?:true|false)$/;
const DECIMAL = /^-?0*(\d*)(?:\.(\d+?)0*)?$/;
const DATE = /^(-?\d{4,6})-(\d\d)-(\d\d)$/;
const TIMESTAMP =
  /^(-?\d{4,6}-\d\d-\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|[+-]00:?00)?$/;
const DAY_MS = 86_400_000;
const MICROS_A_SECOND = 1_000_000n;
const SECONDS_A_DAY = 86_400n;
const MICROS_DIGITS = 6;

/**
 * SQL for the value that a partition column has in all rows of a file, as rows of a table are
 * spooled. An empty text is null, whatever the column's type.
 * @throws {MillraceError} MALFORMED_BODY when it is no value of the column.
 */
export function partitionValue(field: Field, text: string | null | undefined): string {
  const { name, type } = field;
  const spooled = isTimeField(field) ? 'Nullable(Int64)' : spooledType(type);
  const cast = (sql: string): string => `CAST(${sql}, ${quoteText(spooled)})`;
  if (text === null || text === undefined || text === '') return cast('NULL');
  const value = isTimeField(field) ? microsOf(field, text) : spooledText(field, text);
  if (value === undefined)
    throw brokenTable(
      `partition value ${JSON.stringify(text)} of column ${JSON.stringify(name)} is no ${type.kind}`,
    );
  return cast(quoteText(value));
}

/**
 * Text that the engine reads as the value in its spooled type; undefined where it is no value of
 * the column's type.
 */
function spooledText({ type }: Field, text: string): string | undefined {
  const isNumber = type.kind === 'integer' || type.kind === 'float' || type.kind === 'decimal';
  if (isNumber && text.length > NUMBER_LENGTH_MAX) return undefined;
  switch (type.kind) {
    case 'integer': {
      if (!INTEGER.test(text)) return undefined;
      const value = BigInt(text);
      const held = type.signed ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value);
      return held === value ? text : undefined;
    }
    case 'float':
      return FLOAT.test(text) ? text : undefined;
    case 'boolean':
      return BOOLEAN.test(text) ? text : undefined;
    case 'decimal': {
      const [match, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
      const isWithin = fraction.length <= type.scale && whole.length <= type.precision - type.scale;
      return match !== undefined && /\d/.test(text) && isWithin ? text : undefined;
    }
    case 'date':
      return daysOf(text)?.toString();
    case 'timestamp':
      return timestampOf(text)?.toString();
    case 'binary':
      return bytesOf(text)?.toString('base64');
    default:
      return text;
  }
}

/**
 * Bytes as characters with the same numbers. delta-rs writes each as `\u00ff`, with the backslash.
 */
function bytesOf(text: string): Buffer | undefined {
  if (ESCAPED_BYTES.test(text)) return Buffer.from(text.replace(/\\u00/g, ''), 'hex');
  return LATIN.test(text) ? Buffer.from(text, 'latin1') : undefined;
}

const ESCAPED_BYTES = /^(?:\\u00[0-9A-Fa-f]{2})+$/;
const LATIN = /^[\0-\xff]*$/;

function microsOf({ type }: Field, text: string): string | undefined {
  if (type.kind !== 'date') return timestampOf(text)?.toString();
  const days = daysOf(text);
  return days === undefined
    ? undefined
    : (BigInt(days) * SECONDS_A_DAY * MICROS_A_SECOND).toString();
}

/** Days since 1970 of a day that the calendar has. */
function daysOf(text: string): number | undefined {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isThere = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isThere ? date.getTime() / DAY_MS : undefined;
}

/** Microseconds since 1970. */
function timestampOf(text: string): bigint | undefined {
  const [, date = '', hours = '', minutes = '', seconds = '', fraction = ''] =
    TIMESTAMP.exec(text) ?? [];
  const days = daysOf(date);
  if (days === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59)
    return undefined;
  const within = (BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  const micros = BigInt(fraction.padEnd(MICROS_DIGITS, '0'));
  return (BigInt(days) * SECONDS_A_DAY + within) * MICROS_A_SECOND + micros;
}
