import { isUtf8 } from 'node:buffer';
import { MillraceError } from '@app/platform';
import { malformed } from './malformed.js';

/** More digits than every double has exactly. */
const LONG_INTEGER = /[:[,]\s*-?\d{16}/;
const DIGITS = 16;
const [QUOTE, BACKSLASH, MINUS] = [...'"\\-'].map((sign) => sign.charCodeAt(0));
const [ZERO = 0, NINE = 0] = [...'09'].map((digit) => digit.charCodeAt(0));
/** Numbers are written of these bytes, and so are words that are no numbers. */
const WORD: ReadonlySet<number> = new Set(
  Buffer.from('0123456789+-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'),
);

/**
 * A parsed body may have so many of these marks: an object of few bytes takes many of memory, and
 * of time in which nobody else is served.
 */
const MARKS_MAX = 1_000_000;
const MARKS: ReadonlySet<number> = new Set(Buffer.from('{[,'));

/**
 * Parses JSON by protobuf's mapping. Integers of 64 bits that were sent as numbers become texts,
 * which that mapping has too, so that none is rounded.
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
  try {
    return JSON.parse(exact);
  } catch (error) {
    throw malformed(`the body is not JSON: ${(error as Error).message}`);
  }
}

/** Long integers as texts. It looks at each character once: the text may be anything, and not end. */
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

/** Looks without a pattern: a pattern's own stack ends before millions of digits do. */
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
