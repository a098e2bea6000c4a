import { randomInt } from 'node:crypto';
import { codePointOf, endOfEscape } from './text-escape.js';

const BACKSLASH = 0x5c;
const FNV_PRIME = 0x01000193;
/**
 * The start value of hashes. It is secret, because a client could otherwise choose names that all
 * fall on one place.
 */
export const HASH_BEGIN = randomInt(2 ** 32) | 0;

export const mixed = (hash: number, byte: number): number => Math.imul(hash ^ byte, FNV_PRIME);

/**
 * Hash of a name (FNV-1a over its UTF-8), the same however it is spelled: `é` as `\u00e9`.
 * @param from where it begins, behind the quote; it is valid
 */
export function hashOfName(bytes: Buffer, from: number, to: number): number {
  let hash = HASH_BEGIN;
  for (let at = from; at < to;) {
    const byte = bytes[at] ?? 0;
    if (byte !== BACKSLASH) {
      hash = mixed(hash, byte);
      at += 1;
      continue;
    }
    hash = mixedCodePoint(hash, codePointOf(bytes, at));
    const end = endOfEscape(bytes, at);
    at = typeof end === 'number' ? end : to;
  }
  return hash;
}

/** Mixes in the bytes that UTF-8 has for a code point. */
function mixedCodePoint(hash: number, point: number): number {
  if (point < 0x80) return mixed(hash, point);
  const last = 0x80 | (point & 0x3f);
  if (point < 0x800) return mixed(mixed(hash, 0xc0 | (point >> 6)), last);
  const before = 0x80 | ((point >> 6) & 0x3f);
  if (point < 0x10000) return mixed(mixed(mixed(hash, 0xe0 | (point >> 12)), before), last);
  const high = mixed(mixed(hash, 0xf0 | (point >> 18)), 0x80 | ((point >> 12) & 0x3f));
  return mixed(mixed(high, before), last);
}
