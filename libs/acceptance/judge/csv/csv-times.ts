import { QUOTED, SPECIAL, withLineBreaks, type CsvFields } from './csv-fields.js';
import {
  isNumberText,
  microsOfNumber,
  microsOfText,
  plainIsoMicros,
  plainMicros,
  type Micros,
} from '../values/time-text.js';

/** A number as JSON has it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Reads a record's time from a field.
 * @returns undefined if the field is empty or a number that is 0
 */
export function timeOfField(
  bytes: Buffer,
  fields: CsvFields,
  field: number,
): Micros | 'no time' | undefined {
  if (field < 0 || field >= fields.count) return undefined;
  const from = fields.from[field] ?? 0;
  const to = fields.to[field] ?? 0;
  const flags = fields.flags[field] ?? 0;
  if (from === to) return undefined;
  if ((flags & SPECIAL) === 0) {
    const number = plainMicros(bytes, from, to);
    // 0 stands for a time that was never set.
    if (number !== undefined) return number === 0 ? undefined : number;
    const plain = plainIsoMicros(bytes, from, to);
    if (plain !== undefined) return plain;
  }
  const text = fieldText(bytes, from, to, (flags & QUOTED) !== 0);
  const micros = NUMBER.test(text) ? microsOfNumber(text) : microsOfText(text);
  if (micros === undefined) return 'no time';
  return micros === 0 && (NUMBER.test(text) || isNumberText(text)) ? undefined : micros;
}

function fieldText(bytes: Buffer, from: number, to: number, isQuoted: boolean): string {
  const text = withLineBreaks(bytes, from, to).toString('utf8');
  return isQuoted ? text.replaceAll('""', '"') : text;
}
