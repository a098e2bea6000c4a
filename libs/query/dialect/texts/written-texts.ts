import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import type { Rewritten } from '../notations/rewriting.js';
import { isWord, type Node, type Nodes } from '../source-tree.js';

const isText = (node: Node | undefined): boolean => node?.kind === 'text';

/** Texts as the standard and Postgres write them: `E'…'`, `N'…'`, `U&'\0041'`, and one in several lines. */
export function writtenText(nodes: Nodes, at: number, source: string): Rewritten | undefined {
  const [first, second, third] = [nodes[at], nodes[at + 1], nodes[at + 2]];
  if (isText(first) && isText(second)) return joinedTexts(nodes, at, source);
  if (first?.kind !== 'word' || second?.start !== first.end) return undefined;
  // Every text is such a one here.
  if (/^[EN]$/i.test(first.text) && isText(second))
    return { text: source.slice(second.start, second.end), end: at + 2 };
  // In BigQuery's `r'\d+'` a backslash stands for itself, also before a quote.
  if (/^R$/i.test(first.text) && isText(second))
    return { text: source.slice(second.start, second.end).replace(/\\('(?!$))?/g, (_, quote = '') => `\\\\${quote === '' ? '' : "\\'"}`), end: at + 2 }; // prettier-ignore
  const isUnicode = /^U$/i.test(first.text) && second.text === '&' && third?.start === second.end;
  if (!isUnicode || third?.kind !== 'text') return undefined;
  if (isWord(nodes[at + 3], 'UESCAPE'))
    throw new MillraceError('INVALID_SQL', "UESCAPE is not read: U&'\\0041' takes the backslash");
  return { text: quoteText(unescaped(third.value)), end: at + 3 };
}

/** `'a'` and `'b'` in two lines are one text in the standard. */
function joinedTexts(nodes: Nodes, at: number, source: string): Rewritten | undefined {
  let end = at + 1;
  let text = textOf(nodes[at]);
  for (let next = nodes[end]; next?.kind === 'text'; next = nodes[end]) {
    if (!source.slice(nodes[end - 1]?.end, next.start).includes('\n')) break;
    text += textOf(next);
    end += 1;
  }
  return end === at + 1 ? undefined : { text: `'${text}'`, end };
}

const textOf = (node: Node | undefined): string => (node?.kind === 'text' ? node.value : '');

const ESCAPED = /''|\\(?:(\\)|([\dA-F]{4})|\+([\dA-F]{6})|[^])/gi;

/** @throws {MillraceError} INVALID_SQL for what is no character */
function unescaped(value: string): string {
  const text = value.replace(
    ESCAPED,
    (piece, backslash?: string, short?: string, long?: string) => {
      if (piece === "''") return "'";
      if (backslash !== undefined) return backslash;
      const code = Number.parseInt(short ?? long ?? '', 16);
      if (!(code > 0 && code <= 0x10_ffff))
      throw new MillraceError('INVALID_SQL', `${JSON.stringify(piece)} is no character: U&'\\0041' and U&'\\+01F600' are`); // prettier-ignore
      // Two halves of a character, each written so, make one.
      return String.fromCodePoint(code);
    },
  );
  if (text.isWellFormed()) return text;
  throw new MillraceError('INVALID_SQL', "U&'…' has half of a character: \\D83D wants its other half behind it, as U&'\\D83D\\DE00'"); // prettier-ignore
}
