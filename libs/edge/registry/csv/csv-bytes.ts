import { createReadStream } from 'node:fs';
import { BrokenFileError } from '@app/parquet';
import { BlankLines } from './blank-lines.js';
import { CharacterScan } from '../check/character-scan.js';

const QUOTE = 0x22;
const [LF, CR, BLANK, TAB] = [0x0a, 0x0d, 0x20, 0x09];
const PIECE_BYTES = 1024 ** 2;

/** Words of truths begin so, and an empty text ends. */
const WORDS_BEGIN: ReadonlySet<number> = new Set(Buffer.from('tTfF"'));
/** A quoted value that the engine does not read as it reads one without quotes. */
const WORD = /^(?:true|false|)$/i;

/** The things that a look at a file of CSV tells besides. */
export interface SeenCsv {
  /** A truth or an empty text stands in quotes, or may do so. */
  readonly hasQuotedWord: boolean;
  /** There are blanks before the quotes of a value, or may be. */
  readonly hasLooseQuote: boolean;
  /** A line between others is blank. */
  readonly hasBlankLine: boolean;
}

/**
 * Reads a file of CSV for faults that the engine does not report: a quote that is never closed,
 * which would make one value of the rest of the file, and lines that end with CR alone, which would
 * not end.
 * @param delimiter one byte
 * @throws {BrokenFileError}
 */
export async function checkCsv(file: string, delimiter: string): Promise<SeenCsv> {
  const scan = new QuoteScan(delimiter.charCodeAt(0));
  const characters = new CharacterScan();
  for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) {
    characters.take(piece as Buffer);
    scan.take(piece as Buffer);
  }
  characters.end();
  const { unclosedAt, hasQuotedWord, hasLooseQuote } = scan;
  const { hasBlankLine } = scan.blankLines;
  if (unclosedAt !== undefined)
    throw new BrokenFileError(
      `a quote (") that begins a value in line ${await lineAt(file, unclosedAt)} is never closed: all behind it would be one value; close it, or double it and put the whole value into quotes`,
    );
  if (scan.endsWithCr)
    throw new BrokenFileError('its lines end with CR alone: write LF, or CR and LF');
  return { hasQuotedWord, hasLooseQuote, hasBlankLine };
}

async function lineAt(file: string, end: number): Promise<number> {
  let lines = 1;
  for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES, end })) {
    const bytes = piece as Buffer;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines += 1;
  }
  return lines;
}

/** Jumps from quote to quote, because the runtime searches faster than a loop over bytes. */
class QuoteScan {
  private isQuoted = false;
  /** A quote at the end of a piece: only the next piece shows whether it is one of two. */
  private isPending = false;
  /** The last byte that is not blank, of the bytes so far. */
  private last = LF;
  /** The number of bytes of the pieces before. */
  private bytes = 0;
  private openedAt = 0;
  private hasLf = false;
  private hasCr = false;
  /** The last byte of the pieces before. */
  private lastByte = LF;
  hasQuotedWord = false;
  hasLooseQuote = false;
  readonly blankLines = new BlankLines();

  constructor(private readonly delimiter: number) {}

  take(piece: Buffer): void {
    this.look(piece);
    this.lastByte = piece.at(-1) ?? this.lastByte;
    this.bytes += piece.length;
  }

  private look(piece: Buffer): void {
    let at = 0;
    if (this.isPending) {
      this.isPending = false;
      // Two quotes stand for one within the value.
      if (piece[0] === QUOTE) at = 1;
      else this.isQuoted = false;
    }
    while (at < piece.length) {
      const quote = piece.indexOf(QUOTE, at);
      if (!this.isQuoted)
        this.lookForLines(piece.subarray(at, quote === -1 ? piece.length : quote));
      if (quote === -1) {
        if (!this.isQuoted) this.last = this.before(piece, piece.length);
        return;
      }
      at = quote + 1;
      this.blankLines.takeQuote();
      if (!this.isQuoted) {
        this.isQuoted = this.begins(this.before(piece, quote));
        if (this.isQuoted) {
          this.openedAt = this.bytes + quote;
          this.hasQuotedWord ||= mayBeWord(piece, at);
          this.hasLooseQuote ||= this.isBlank(quote === 0 ? this.lastByte : piece[quote - 1]);
        }
        this.last = QUOTE;
      } else if (at === piece.length) this.isPending = true;
      else if (piece[at] === QUOTE) at += 1;
      else this.isQuoted = false;
    }
  }

  /** The place of a quote that is never closed, when all pieces were taken. */
  get unclosedAt(): number | undefined {
    return this.isQuoted && !this.isPending ? this.openedAt : undefined;
  }

  /** Tells whether lines end with CR alone, when all pieces were taken. */
  get endsWithCr(): boolean {
    return this.hasCr && !this.hasLf;
  }

  /** A quote opens a value only at the value's beginning, with blanks before it not counted. */
  private begins(before: number): boolean {
    return before === this.delimiter || before === LF || before === CR;
  }

  private isBlank(byte = LF): boolean {
    return (byte === BLANK || byte === TAB) && byte !== this.delimiter;
  }

  private before(piece: Buffer, end: number): number {
    for (let at = end - 1; at >= 0; at -= 1) {
      const byte = piece[at] ?? LF;
      if (!this.isBlank(byte)) return byte;
    }
    return this.last;
  }

  private lookForLines(bytes: Buffer): void {
    this.blankLines.take(bytes);
    if (this.hasLf) return;
    this.hasLf = bytes.includes(LF);
    this.hasCr ||= bytes.includes(CR);
  }
}

/** @param at of the first byte behind the quote */
function mayBeWord(piece: Buffer, at: number): boolean {
  const first = piece[at];
  // The text may go on in the next piece, so it is taken for such a word.
  if (first === undefined) return true;
  if (!WORDS_BEGIN.has(first) && first !== BLANK && first !== TAB) return false;
  const end = piece.indexOf(QUOTE, at);
  return end === -1 || WORD.test(piece.toString('latin1', at, end).trim());
}
