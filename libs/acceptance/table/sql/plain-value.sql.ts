import type { ValueType } from '@app/streams';
import { dateText, timestampText, timeText } from './civil-time.sql.js';
import type { SecondDigits } from '@app/arrow';

/** A decimal of so many digits does not change when it goes through a float and back to text. */
export const EXACT_FLOAT_DIGITS = 15;
const INT64_DIGITS = 18;

/**
 * The types of values that have no column of their own type: in objects, in lists of several types,
 * in records.
 */
type PlainType = 'Int64' | 'UInt64' | 'Float64' | 'Bool' | 'String';

export function plainType(type: ValueType): PlainType {
  switch (type.family) {
    case 'integer':
      return type.isSigned || type.bits < 64 ? 'Int64' : 'UInt64';
    case 'float':
      return 'Float64';
    case 'boolean':
      return 'Bool';
    case 'decimal':
      if (type.scale === 0 && type.precision <= INT64_DIGITS) return 'Int64';
      return type.precision <= EXACT_FLOAT_DIGITS ? 'Float64' : 'String';
    default:
      return 'String';
  }
}

/**
 * SQL of a value as JSON has it, without loss: times are ISO 8601, decimals are numbers while floats
 * of 64 bits can hold them, else text.
 * @param value SQL as `spoolType` has it
 */
export function plainValue(value: string, type: ValueType): string {
  const plain = plainType(type);
  if (plain === 'String') return textValue(value, type) ?? value;
  return plain === 'Bool' ? value : `to${plain}(${value})`;
}

/** SQL of a value as text, where its type is not one of text or of numbers alone. */
export function textValue(value: string, type: ValueType): string | undefined {
  switch (type.family) {
    case 'date':
      return dateText(value);
    case 'time':
      return timeText(value, type.digits as SecondDigits);
    case 'timestamp': {
      const text = timestampText(value, type.digits as SecondDigits);
      return type.isUtc ? `concat(${text}, 'Z')` : text;
    }
    case 'uuid':
    case 'decimal':
      return `toString(${value})`;
    default:
      return undefined;
  }
}
