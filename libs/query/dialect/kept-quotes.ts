import { losesQuotes } from '@app/warehouse';
import { tokenize } from '../search/statement-tokens.js';
import { authorTokens } from './author-tokens.js';

/**
 * No statement contains this character: the guard refuses names with characters of the private use
 * area.
 */
const MARK = '\ue1fd';
/** Matches a quoted name that may be one of those; most statements have none. */
const MAYBE = /(["`])[a-z]{2,8}\1/i;
const MARKED_END = `${Buffer.from(MARK).toString('latin1')}\``;

/**
 * The engine prints some names without their quotes and then reads them differently: the column
 * `nan` as a number, for example. With a mark in them, the engine keeps their quotes.
 * @returns the statement with marks, to be printed; `unmarked` takes them out of the print.
 */
export function marked(text: string): string {
  if (!MAYBE.test(text) || text.includes(MARK)) return text;
  let written = '';
  let from = 0;
  let before = '';
  for (const { kind, text: token, value, end } of authorTokens(text) ?? []) {
    // After a dot it can only be a name, and may become a text: `list[1]."nan"`.
    const isFirst = before !== '.';
    before = token;
    if (kind !== 'name' || !isFirst || !losesQuotes(value)) continue;
    written += text.slice(from, end - 1) + MARK;
    from = end - 1;
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
  for (const { kind, text, end } of tokenize(bytes)) {
    if (kind !== 'name' || !text.endsWith(MARKED_END)) continue;
    written += bytes.slice(from, end - MARKED_END.length);
    from = end - 1;
  }
  return Buffer.from(written + bytes.slice(from), 'latin1');
}
