import { certain } from '@app/platform';
import type { Fault } from './fault.js';

const [BACKSLASH, LOWER_U, ZERO, NINE] = [0x5c, 0x75, 0x30, 0x39];
/** Turns a letter into its lower case. */
const LOWER = 0x20;
/**
 * The bytes that may follow a backslash, besides `u`, have 1 here. To ask a set takes eight times as
 * long, which was a quarter of the time for long texts.
 */
const ESCAPES = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPES[byte] = 1;
const UNICODE_ESCAPE = 6;

/** Finds the end of the escape that begins at a backslash, or the reason why it is not valid. */
export function endOfEscape(bytes: Buffer, at: number): number | Fault {
  const byte = bytes[at + 1] ?? 0;
  if (byte !== LOWER_U) return ESCAPES[byte] === 1 ? at + 2 : 'malformed';
  const unit = codeUnit(bytes, at);
  const end = at + UNICODE_ESCAPE;
  if (unit < 0) return 'malformed';
  if (unit < 0xd800 || unit > 0xdfff) return end;
  // In a surrogate pair the high half comes first, and the low half directly behind it.
  const isPair = unit < 0xdc00 && bytes[end] === BACKSLASH && bytes[end + 1] === LOWER_U;
  const other = isPair ? codeUnit(bytes, end) : 0;
  if (other < 0) return 'malformed';
  return other < 0xdc00 || other > 0xdfff ? 'half a pair' : end + UNICODE_ESCAPE;
}

/** The code unit of the escape; -1 where its digits are not hexadecimal. */
function codeUnit(bytes: Buffer, at: number): number {
  let unit = 0;
  for (let index = 2; index < UNICODE_ESCAPE; index += 1) {
    const byte = bytes[at + index] ?? 0;
    const lower = byte | LOWER;
    const isDigit = byte >= ZERO && byte <= NINE;
    if (!isDigit && (lower < 0x61 || lower > 0x66)) return -1;
    unit = unit * 16 + (isDigit ? byte - ZERO : lower - 0x57);
  }
  return unit;
}

/**
 * These characters of JSON have to be escaped within a text. Blanks between its tokens may be tabs.
 */
const TO_ESCAPE = /["\\\t\r]/g;
const ESCAPED: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\t': '\\t',
  '\r': '\\r',
};

/** JSON as a JSON text. @param json on one line */
export const quoted = (json: string): string =>
  `"${json.replace(TO_ESCAPE, (character) => certain(ESCAPED[character], 'escape'))}"`;
