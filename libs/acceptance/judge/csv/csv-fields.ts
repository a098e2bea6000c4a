/**
 * This byte stands for a line break within a quoted field while each record is on a line of its
 * own. No UTF-8 has it.
 */
export const INNER_BREAK = 0xff;

const [NEWLINE, RETURN, QUOTE, BACKSLASH, SPACE, TAB] = [0x0a, 0x0d, 0x22, 0x5c, 0x20, 0x09];

/** The properties of a field beside its text, as bits. */
export const QUOTED = 1;
/** The field has bytes that JSON writes otherwise, or quotes that are doubled. */
export const SPECIAL = 2;

/** The kinds of bytes within a field: those that stand for themselves are 0. */
const [PLAIN, ESCAPED, END] = [0, 1, 2];

/**
 * Finds the fields of a record of CSV (RFC 4180) on its line; blanks around quotes belong to no
 * field. The result stays until the next record is read.
 */
export class CsvFields {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly flags: Uint8Array;
  /** Fields of the record; at most as many as the header names, and one for all beyond that is not empty. */
  count = 0;
  /** The number of these fields, and of the empty fields beyond the header. */
  written = 0;
  /** Tells where the line break is that ends the record. */
  end = 0;
  /**
   * Tells whether the line that was read last is one record: after a closing quote, or a carriage
   * return, a field must end.
   */
  isRecord = false;
  /** Tells whether the current quoted field has characters that JSON writes differently. */
  private isSpecial = false;
  private readonly unquoted = new Uint8Array(256);
  private readonly quoted = new Uint8Array(256);

  /** @param bytes records, one a line; the last one must end with a line break */
  constructor(
    private readonly bytes: Buffer,
    private readonly delimiter: number,
    /** Fields that the header names. */
    private readonly named: number,
  ) {
    this.from = new Int32Array(named + 1);
    this.to = new Int32Array(named + 1);
    this.flags = new Uint8Array(named + 1);
    for (let byte = 0; byte < 256; byte += 1) {
      const isPlain = byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH && byte !== INNER_BREAK;
      this.unquoted[byte] = isPlain ? PLAIN : ESCAPED;
      this.quoted[byte] = isPlain ? PLAIN : ESCAPED;
    }
    for (const byte of [delimiter, NEWLINE, RETURN]) this.unquoted[byte] = END;
    for (const byte of [QUOTE, NEWLINE]) this.quoted[byte] = END;
  }

  /** Reads the record that begins there. @returns whether it is one */
  read(at: number): boolean {
    const { bytes, delimiter, named, from, to, flags, unquoted } = this;
    let next = at;
    let count = 0;
    let written = 0;
    let fault: boolean;
    for (;;) {
      let start = next;
      let flag = 0;
      let end: number;
      const opening = this.openingQuote(next);
      if (opening >= 0) {
        start = opening + 1;
        end = this.endOfQuoted(start);
        flag = this.isSpecial ? QUOTED | SPECIAL : QUOTED;
        next = bytes[end] === QUOTE ? this.behindBlanks(end + 1) : end;
      } else {
        for (;;) {
          while (unquoted[bytes[next] ?? NEWLINE] === PLAIN) next += 1;
          if (unquoted[bytes[next] ?? NEWLINE] === END) break;
          flag = SPECIAL;
          next += 1;
        }
        end = next;
      }
      written += 1;
      // All fields beyond the header share one place, which keeps the last one that is not empty.
      if (count < named || end > start) {
        const index = count < named ? count : named;
        from[index] = start;
        to[index] = end;
        flags[index] = flag;
        count = index + 1;
      }
      const byte = bytes[next];
      if (byte === delimiter) {
        next += 1;
        continue;
      }
      if (byte === RETURN) next += 1;
      fault = bytes[next] !== NEWLINE;
      break;
    }
    this.count = count;
    this.written = written;
    this.end = fault ? bytes.indexOf(NEWLINE, next) : next;
    this.isRecord = !fault;
    return !fault;
  }

  /** The place of the quote that begins a field, which blanks may stand before; else -1. */
  private openingQuote(at: number): number {
    const first = this.bytes[at];
    if (first === QUOTE) return at;
    if (first !== SPACE && first !== TAB) return -1;
    const behind = this.behindBlanks(at);
    return this.bytes[behind] === QUOTE ? behind : -1;
  }

  private behindBlanks(at: number): number {
    const { bytes, delimiter } = this;
    let next = at;
    while ((bytes[next] === SPACE || bytes[next] === TAB) && bytes[next] !== delimiter) next += 1;
    return next;
  }

  /**
   * Reads on behind the opening quote.
   * @returns the place of the closing quote, or of the line break
   */
  private endOfQuoted(start: number): number {
    const { bytes, quoted } = this;
    this.isSpecial = false;
    for (let at = start; ; at += 1) {
      const kind = quoted[bytes[at] ?? NEWLINE];
      if (kind === PLAIN) continue;
      if (kind === END) {
        if (bytes[at] === NEWLINE || bytes[at + 1] !== QUOTE) return at;
        at += 1;
      }
      this.isSpecial = true;
    }
  }
}

/**
 * Copies bytes with line breaks where {@link INNER_BREAK} stands for them. A callback for each byte
 * would take thirty times as long.
 */
export function withLineBreaks(source: Buffer, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(to - from);
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = source[from + index] ?? 0;
    bytes[index] = byte === INNER_BREAK ? NEWLINE : byte;
  }
  return bytes;
}
