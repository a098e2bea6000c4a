import { isUtf8 } from 'node:buffer';
import { MillraceError } from '@app/platform';
import { malformed } from './malformed.js';

/** The number of digits from which a double may not be exact. */
const LONG_INTEGER = /[:[,]\s*-?\d{16}/;
const DIGITS = 16;
const [QUOTE, BACKSLASH, MINUS, COLON] = [...'"\\-:'].map((sign) => sign.charCodeAt(0));
const [ZERO = 0, NINE = 0] = [...'09'].map((digit) => digit.charCodeAt(0));
/** The bytes of numbers, and also of words that are not numbers. */
const WORD: ReadonlySet<number> = new Set(
  Buffer.from('0123456789+-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'),
);

/**
 * The limit of these marks in a parsed body: an object of few bytes needs much memory, and time in
 * which no other request is served.
 */
const MARKS_MAX = 1_000_000;
const MARKS: ReadonlySet<number> = new Set(Buffer.from('{[,'));

/**
 * Parses JSON by protobuf's mapping. Integers of 64 bits that were sent as numbers become texts,
 * which that mapping has too, so that none is rounded. An object with a repeated name is refused,
 * as that mapping requires.
 * @throws {MillraceError} MALFORMED_BODY, UPLOAD_TOO_LARGE
 */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw malformed('the body is not UTF-8');
  let marks = 0;
  for (const byte of body) if (MARKS.has(byte)) marks += 1;
  if (marks > MARKS_MAX)
    throw new MillraceError(
      'UPLOAD_TOO_LARGE',
      `a request in JSON may have about ${MARKS_MAX} values; split it, or send protobuf`,
    );
  const text = body.toString('utf8');
  const exact = LONG_INTEGER.test(text) ? quoted(text) : text;
  let value: unknown;
  try {
    value = JSON.parse(exact);
  } catch (error) {
    throw malformed(`the body is not JSON: ${(error as Error).message}`);
  }
  if (membersIn(text) !== membersOf(value))
    throw malformed('an object in the body names a field twice; send each name once');
  return value;
}

/**
 * Counts the members of all objects as they were sent. Of two members with one name, the parser
 * keeps one.
 */
function membersIn(text: string): number {
  let members = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === COLON) members += 1;
    at = code === QUOTE ? afterText(text, at + 1) : at + 1;
  }
  return members;
}

/** Counts without recursion, because a body may be nested very deeply. */
function membersOf(value: unknown): number {
  const rest = [value];
  let members = 0;
  while (rest.length > 0) {
    const each = rest.pop();
    if (typeof each !== 'object' || each === null) continue;
    const values: unknown[] = Object.values(each);
    if (!Array.isArray(each)) members += values.length;
    for (const held of values) if (typeof held === 'object') rest.push(held);
  }
  return members;
}

/**
 * Turns long integers into texts. It looks at each character once, because the text may be invalid.
 */
function quoted(text: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterText(text, at + 1);
    else if (!WORD.has(code)) at += 1;
    else {
      const end = afterWord(text, at + 1);
      if (isLongInteger(text, at, end)) {
        pieces.push(text.slice(done, at), '"', text.slice(at, end), '"');
        done = end;
      }
      at = end;
    }
  }
  return pieces.join('') + text.slice(done);
}

/** Searches without a pattern, because a pattern's own stack overflows at millions of digits. */
function isLongInteger(text: string, begin: number, end: number): boolean {
  const from = text.charCodeAt(begin) === MINUS ? begin + 1 : begin;
  if (end - from < DIGITS) return false;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}

function afterText(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

function afterWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && WORD.has(text.charCodeAt(at))) at += 1;
  return at;
}
