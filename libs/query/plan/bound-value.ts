import { MillraceError } from '@app/platform';
import type { Column } from '@app/warehouse';
import { readEngineType, typeWithin } from './engine-type.js';
import { readTime } from './read-time.js';

/** A value as the engine binds it: text in its notation, and the type it is read as. */
export interface BoundValue {
  readonly type: string;
  readonly text: string;
}

/** A text that is a number. */
export const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INTEGER = /^[+-]?\d+$/;
const PLAIN = /^[+-]?\d{0,56}(?:\.\d{0,19})?$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const UINT64_MAX = 2n ** 64n - 1n;

/** The kinds of columns, by the operations that they allow. A clock is a time of day. */
export type ColumnKind =
  'text' | 'number' | 'boolean' | 'time' | 'date' | 'clock' | 'uuid' | 'list' | 'object';

const KINDS: readonly (readonly [RegExp, ColumnKind])[] = [
  [/^Array$/, 'list'],
  [/^(?:JSON|Tuple|Map)$/, 'object'],
  [/^(?:U?Int|B?Float|Decimal)/, 'number'],
  [/^Bool$/, 'boolean'],
  [/^DateTime/, 'time'],
  [/^Date/, 'date'],
  [/^Time/, 'clock'],
  [/^UUID$/, 'uuid'],
];

function bareType(type: string): ReturnType<typeof readEngineType> {
  const read = readEngineType(type);
  return /^(?:Nullable|LowCardinality)$/.test(read.name) ? bareType(typeWithin(read)) : read;
}

export function columnKind(type: string): ColumnKind {
  const { name } = bareType(type);
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'text';
}

/**
 * Reads text as a value of the column's kind.
 * @throws {MillraceError} INVALID_PARAMETER
 */
export function readValue(column: Column, text: string): BoundValue {
  switch (columnKind(column.type)) {
    case 'text':
      return { type: 'String', text };
    case 'number':
      return readNumber(column, text);
    case 'boolean':
      if (/^(?:true|1)$/i.test(text)) return { type: 'Bool', text: 'true' };
      if (/^(?:false|0)$/i.test(text)) return { type: 'Bool', text: 'false' };
      throw wrong(column, text, 'true or false');
    case 'time': {
      const time = timeValue(column, text);
      if (time) return time;
      throw wrong(
        column,
        text,
        'an ISO 8601 time, or a number of seconds to nanoseconds since 1970',
      );
    }
    case 'date': {
      if (DAY.test(text) && readTime(text) !== undefined) return { type: 'Date32', text };
      const time = DAY.test(text) ? undefined : timeValue(column, text);
      if (time) return time;
      throw wrong(column, text, 'a date of the years 1900 to 2299, YYYY-MM-DD');
    }
    case 'clock':
      if (CLOCK.test(text))
        return { type: 'Time64(9)', text: text.length === SHORT_CLOCK ? `${text}:00` : text };
      throw wrong(column, text, 'a time of day, hh:mm:ss');
    case 'uuid':
      if (UUID.test(text)) return { type: 'UUID', text };
      throw wrong(column, text, 'a UUID');
    default:
      throw new MillraceError(
        'INVALID_PARAMETER',
        `column ${JSON.stringify(column.name)} holds lists or objects, which compare with nothing here; ask by SQL`,
      );
  }
}

const SHORT_CLOCK = 5;
const NANOSECONDS = 9;

function timeValue({ type }: Column, text: string): BoundValue | undefined {
  const digits = Number(bareType(type).parameters[0]) === NANOSECONDS ? NANOSECONDS : 6;
  const time = readTime(text, digits);
  return time === undefined ? undefined : { type: `DateTime64(${digits}, 'UTC')`, text: time };
}

/** Digits stay unchanged, because a float could not distinguish neighbours beyond 2⁵³. */
function readNumber(column: Column, text: string): BoundValue {
  const bare = text.replace(/^\+/, '');
  if (INTEGER.test(text) && text.length <= 40) {
    const value = BigInt(bare);
    if (value >= INT64.min && value <= INT64.max) return { type: 'Int64', text: String(value) };
    if (value > 0n && value <= UINT64_MAX) return { type: 'UInt64', text: String(value) };
  }
  const isFloat = /Float/.test(column.type);
  if (!isFloat && NUMBER.test(text) && PLAIN.test(text)) {
    const [, fraction = ''] = text.split('.');
    return { type: `Decimal(76, ${fraction.length})`, text: bare };
  }
  if (NUMBER.test(text) && Number.isFinite(Number(text)))
    return {
      type: /Float32/.test(column.type) ? 'Float32' : 'Float64',
      text: String(Number(text)),
    };
  throw wrong(column, text, 'a number');
}

/** Tells whether a column has values like that number. All other values are of the column's type. */
export function canHold(type: string, { type: bound, text }: BoundValue): boolean {
  const { name, parameters } = bareType(type);
  if (/^U?Int/.test(name)) return !bound.startsWith('Decimal');
  if (name !== 'Decimal' || !/^(?:U?Int64|Decimal)/.test(bound)) return true;
  const [precision, scale = 0] = parameters.map(Number);
  const [whole = ''] = text.replace(/^-?0*/, '').split('.');
  return precision === undefined || whole.length <= precision - scale;
}

function wrong({ name }: Column, text: string, wanted: string): MillraceError {
  return new MillraceError(
    'INVALID_PARAMETER',
    `column ${JSON.stringify(name)}: want ${wanted}, not ${JSON.stringify(text.slice(0, 40))}`,
  );
}
