import { losesQuotes } from '@app/warehouse';
import { tokenize } from '../search/statement-tokens.js';
import { authorTokens } from './author-tokens.js';
import { losesDigits } from './numbers/float-digits.js';

/**
 * No statement contains this character: the guard refuses names with characters of the private use
 * area.
 */
const MARK = '\ue1fd';
/** Matches what may be one of those pieces; most statements have none. */
const MAYBE = /(["`])[a-z]{2,8}\1|[\d.]{17}|\.0{6}/i;
const NUMBER = /^[\d.]+$/;
const SETTINGS = /^SETTINGS$/i;
const MARKED_END = `${Buffer.from(MARK).toString('latin1')}\``;

/**
 * The engine prints some names without their quotes and then reads them differently: the column
 * `nan` as a number, for example. With a mark in them, the engine keeps their quotes. It prints the
 * number 12345678901.234567 as a float shows it, …68, which is another one beside decimals. Such a
 * number goes through the print as a name, and so does 0.0000001, which it prints as 1e-7.
 * @returns the statement with marks, to be printed; `unmarked` takes them out of the print.
 */
export function marked(text: string): string {
  if (!MAYBE.test(text) || text.includes(MARK)) return text;
  let written = '';
  let from = 0;
  let before = '';
  /** A setting's value cannot be a name. */
  let isSettings = false;
  for (const { kind, text: token, value, start, end } of authorTokens(text) ?? []) {
    // After a dot it can only be a name, and may become a text: `list[1]."nan"`.
    const isFirst = before !== '.';
    before = token;
    isSettings ||= kind === 'word' && SETTINGS.test(token);
    if (!isFirst) continue;
    if (kind === 'number' && !isSettings && losesDigits(token)) {
      written += `${text.slice(from, start)}\`${token}${MARK}\``;
      from = end;
    } else if (kind === 'name' && losesQuotes(value)) {
      written += text.slice(from, end - 1) + MARK;
      from = end - 1;
    }
  }
  return written + text.slice(from);
}

/**
 * @param printed from a statement with our marks. Texts in it may be invalid UTF-8, and stay as
 *   they are.
 */
export function unmarked(printed: Buffer): Buffer {
  const bytes = printed.toString('latin1');
  let written = '';
  let from = 0;
  for (const { kind, text, start, end } of tokenize(bytes)) {
    if (kind !== 'name' || !text.endsWith(MARKED_END)) continue;
    const named = text.slice(1, -MARKED_END.length);
    const isNumber = NUMBER.test(named);
    written += bytes.slice(from, isNumber ? start : end - MARKED_END.length);
    if (isNumber) written += named;
    from = isNumber ? end : end - 1;
  }
  return Buffer.from(written + bytes.slice(from), 'latin1');
}
