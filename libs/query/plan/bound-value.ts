import { MillraceError } from '@app/platform';
import type { Column } from '@app/warehouse';
import { readTime } from './read-time.js';

/** A value as the engine binds it: text in its notation, and the type it is read as. */
export interface BoundValue {
  readonly type: 'String' | 'Int64' | 'UInt64' | 'Float64' | 'Bool' | typeof TIME;
  readonly text: string;
}

const TIME = "DateTime64(6, 'UTC')";
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INTEGER = /^[+-]?\d+$/;
const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const UINT64_MAX = 2n ** 64n - 1n;

/** What can be asked of a column. */
export type ColumnKind = 'text' | 'number' | 'boolean' | 'time' | 'list' | 'object';

export function columnKind(type: string): ColumnKind {
  const inner = type.replace(/^(?:Nullable|LowCardinality)\((.*)\)$/, '$1');
  if (inner.startsWith('Array(')) return 'list';
  if (/^(?:JSON|Tuple|Map)/.test(inner)) return 'object';
  if (/^(?:U?Int|Float|Decimal)/.test(inner)) return 'number';
  if (inner === 'Bool') return 'boolean';
  return inner.startsWith('DateTime') ? 'time' : 'text';
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
      const time = readTime(text);
      if (time !== undefined) return { type: TIME, text: time };
      throw wrong(
        column,
        text,
        'an ISO 8601 time, or a number of seconds to nanoseconds since 1970',
      );
    }
    default:
      throw new MillraceError(
        'INVALID_PARAMETER',
        `column ${JSON.stringify(column.name)} holds lists or objects, which compare with nothing here; ask by SQL`,
      );
  }
}

/** Whole numbers stay whole: a float could not tell neighbours beyond 2⁵³ apart. */
function readNumber(column: Column, text: string): BoundValue {
  if (INTEGER.test(text) && text.length <= 40) {
    const value = BigInt(text.replace(/^\+/, ''));
    if (value >= INT64.min && value <= INT64.max) return { type: 'Int64', text: String(value) };
    if (value > 0n && value <= UINT64_MAX) return { type: 'UInt64', text: String(value) };
  }
  if (NUMBER.test(text) && Number.isFinite(Number(text)))
    return { type: 'Float64', text: String(Number(text)) };
  throw wrong(column, text, 'a number');
}

function wrong({ name }: Column, text: string, wanted: string): MillraceError {
  return new MillraceError(
    'INVALID_PARAMETER',
    `column ${JSON.stringify(name)}: want ${wanted}, not ${JSON.stringify(text.slice(0, 40))}`,
  );
}
