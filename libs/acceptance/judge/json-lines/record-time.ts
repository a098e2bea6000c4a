import { FLOAT, INT, NONE, TEXT, UINT } from '../values/kinds.js';
import type { Member } from '../json/record-reader.js';
import {
  isNumberText,
  microsOfNumber,
  microsOfText,
  plainIsoMicros,
  plainMicros,
  type Micros,
} from '../values/time-text.js';

/**
 * Reads a record's time from a field.
 * @returns undefined if the field is null, or a number that is 0 (also in quotes), which stands for
 *   a time that was never set
 */
export function timeOf(bytes: Buffer, { kind, from, to }: Member): Micros | 'no time' | undefined {
  if (kind === NONE) return undefined;
  if (kind === TEXT) {
    const plain = plainIsoMicros(bytes, from + 1, to - 1);
    if (plain !== undefined) return plain;
    const text = textAt(bytes, from, to);
    const told = microsOfText(text);
    return told === 0 && isNumberText(text) ? undefined : (told ?? 'no time');
  }
  if (kind !== INT && kind !== UINT && kind !== FLOAT) return 'no time';
  const micros = plainMicros(bytes, from, to) ?? microsOfNumber(bytes.toString('latin1', from, to));
  return micros === 0 ? undefined : (micros ?? 'no time');
}

function textAt(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from + 1, to - 1);
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
}
