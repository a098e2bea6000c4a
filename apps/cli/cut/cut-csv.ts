import type { Cutter } from './cut-lines.js';

const [QUOTE, NEWLINE, RETURN, SPACE, TAB] = [0x22, 0x0a, 0x0d, 0x20, 0x09];
/** Delimiters that a file may have without saying so, the likeliest first. */
const DELIMITERS = [',', ';', '\t', '|'] as const;

/** A line before the header that says the delimiter, `sep=;`, and its length in bytes. */
export function toldBefore(
  head: Buffer,
): { readonly delimiter: string; readonly length: number } | undefined {
  const [line, delimiter] =
    /^(?:\u00ef\u00bb\u00bf)?[\r\n]*sep=([^\r\n"])\r*\n/i.exec(head.toString('latin1')) ?? [];
  return line === undefined || delimiter === undefined
    ? undefined
    : { delimiter, length: line.length };
}

/** The delimiter that the file says, or that its first line has most of, outside quotes. */
export function likelyDelimiter(header: Buffer): string {
  const told = toldBefore(header);
  if (told) return told.delimiter;
  const [line = ''] = /[^\r\n]+/.exec(header.toString('utf8')) ?? [];
  const unquoted = line.replace(/"(?:[^"]|"")*"?/g, '');
  const count = (delimiter: string): number => unquoted.split(delimiter).length;
  return DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best), ',');
}

/**
 * Cuts at the first line break that is beyond so many bytes and not within quotes. A quote opens a
 * quoted field only at the field's beginning, or behind blanks there, as on the server. Only quotes and the bytes before
 * them are looked at.
 */
export class CsvCutter implements Cutter {
  /** The bytes before this index have been scanned. */
  private at = 0;
  private quoted = false;
  /** Tells where the last quoted field was closed. */
  private closedAt = -1;

  /** @param delimiter its character code */
  constructor(
    private readonly atLeast: number,
    private readonly delimiter: number,
  ) {}

  find(held: Buffer): number {
    while (this.at < held.length) {
      const quote = held.indexOf(QUOTE, this.at);
      const until = quote < 0 ? held.length : quote;
      if (!this.quoted) {
        const end = this.lineEnd(held, until);
        if (end >= 0) return end;
      }
      if (quote < 0) {
        this.at = held.length;
        return -1;
      }
      if (this.quoted) {
        this.quoted = false;
        this.closedAt = quote;
      } else this.quoted = this.opens(held, quote);
      this.at = quote + 1;
    }
    return -1;
  }

  private lineEnd(held: Buffer, until: number): number {
    const from = Math.max(this.at, this.atLeast - 1);
    if (from >= until) return -1;
    const newline = held.subarray(from, until).indexOf(NEWLINE);
    return newline < 0 ? -1 : from + newline + 1;
  }

  private opens(held: Buffer, quote: number): boolean {
    let before = quote - 1;
    while (held[before] === RETURN) before -= 1;
    if (before === this.closedAt) return true;
    while (this.isBlank(held[before])) before -= 1;
    return (
      before < 0 ||
      held[before] === NEWLINE ||
      held[before] === this.delimiter ||
      isByteOrderMark(held, before)
    );
  }

  private isBlank(byte: number | undefined): boolean {
    return (byte === SPACE || byte === TAB || byte === RETURN) && byte !== this.delimiter;
  }
}

function isByteOrderMark(held: Buffer, last: number): boolean {
  return last === 2 && held[0] === 0xef && held[1] === 0xbb && held[2] === 0xbf;
}
