import { isUtf8 } from 'node:buffer';
import { malformed } from '../protobuf/malformed.js';

const TEXT_MAX = 64 * 1024;
const LABEL =
  /\s*(?:([A-Za-z_][\w:.-]*)|("(?:[^"\\]|\\.)*"))\s*=\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`)\s*(?:,|(?=\}))/y;
const END = /\s*\}\s*$/y;
const ESCAPE =
  /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|([abfnrtv\\'"]))/y;
const SINGLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Parses labels of a stream in Loki's notation: `{app="shop", path="C:\\x"}`, with the quotes and
 * escapes of Go.
 * @returns members of a JSON object
 * @throws {MillraceError} MALFORMED_BODY
 */
export function labelMembers(text: string): string {
  const whole = text.trim();
  if (whole.length > TEXT_MAX) throw malformed(`labels may have at most ${TEXT_MAX} characters`);
  if (!whole.startsWith('{')) throw bad(whole);
  const members: string[] = [];
  let at = 1;
  for (;;) {
    END.lastIndex = at;
    if (END.test(whole)) return members.join(',');
    LABEL.lastIndex = at;
    const [found, plain, quoted = '""', value = '""'] = LABEL.exec(whole) ?? [];
    if (found === undefined) throw bad(whole);
    const name = plain ?? unquoted(quoted);
    members.push(`${JSON.stringify(name)}:${JSON.stringify(unquoted(value))}`);
    at += found.length;
  }
}

function unquoted(literal: string): string {
  const inside = literal.slice(1, -1);
  if (literal.startsWith('`')) return inside.replaceAll('\r', '');
  if (!inside.includes('\\')) return inside;
  const pieces: Buffer[] = [];
  for (let at = 0; at < inside.length;) {
    const next = inside.indexOf('\\', at);
    const end = next < 0 ? inside.length : next;
    pieces.push(Buffer.from(inside.slice(at, end)));
    if (next < 0) break;
    ESCAPE.lastIndex = next;
    const [found, hex, short, long, octal, single = ''] = ESCAPE.exec(inside) ?? [];
    if (found === undefined) throw bad(literal);
    pieces.push(escaped(literal, { byte: hex, octal, point: short ?? long, single }));
    at = next + found.length;
  }
  const bytes = Buffer.concat(pieces);
  if (!isUtf8(bytes)) throw malformed('a label is not UTF-8');
  return bytes.toString();
}

interface Escape {
  readonly byte: string | undefined;
  readonly octal: string | undefined;
  readonly point: string | undefined;
  readonly single: string;
}

function escaped(literal: string, { byte, octal, point, single }: Escape): Buffer {
  if (point !== undefined) {
    const code = parseInt(point, 16);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw bad(literal);
    return Buffer.from(String.fromCodePoint(code));
  }
  const digits = byte ?? octal;
  if (digits === undefined) return Buffer.from(SINGLE[single] ?? single);
  const value = parseInt(digits, byte === undefined ? 8 : 16);
  if (value > 0xff) throw bad(literal);
  return Buffer.from([value]);
}

const bad = (text: string): Error =>
  malformed(`labels ${JSON.stringify(text.slice(0, 100))}: want {name="value", …}`);
