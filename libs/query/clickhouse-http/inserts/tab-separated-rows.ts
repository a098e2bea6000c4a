const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const CAPITAL_N = 0x4e;
const BACKSLASH = 0x5c;

/** The control characters that letters stand for behind a backslash. Other bytes stand for themselves. */
const CONTROLS: Readonly<Record<string, number>> = {
  '0': 0x00,
  a: 0x07,
  b: 0x08,
  t: TAB,
  n: NEWLINE,
  v: 0x0b,
  f: 0x0c,
  r: RETURN,
};
const ESCAPED = new Map(
  Object.entries(CONTROLS).map(([letter, byte]) => [letter.charCodeAt(0), byte]),
);
/** One byte becomes at most this many: a held carriage return, a quote before, and itself twice. */
const GROWTH = 4;

/**
 * Writes rows of TabSeparated as CSV. A value is in quotes, and null, which is `\N` there, is an
 * empty field without quotes.
 */
export async function* csvOfTabs(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const writer = new CsvOfTabs();
  for await (const piece of rows) yield writer.push(piece);
  yield writer.end();
}

class CsvOfTabs {
  /** The bytes of the field before this one that mean something only with the next byte. */
  private held: 'nothing' | 'backslash' | 'null' | 'return' = 'nothing';
  private isInQuotes = false;
  private isRowBegun = false;
  private written = Buffer.alloc(0);
  private length = 0;

  push(piece: Buffer): Buffer {
    this.written = Buffer.allocUnsafe(GROWTH * piece.length);
    this.length = 0;
    for (const byte of piece) this.take(byte);
    return this.written.subarray(0, this.length);
  }

  /** The last row may have no line break. */
  end(): Buffer {
    const isOpen = this.isRowBegun || this.isInQuotes || this.held !== 'nothing';
    return isOpen ? this.push(Buffer.from('\n')) : Buffer.alloc(0);
  }

  private take(byte: number): void {
    const { held } = this;
    this.held = 'nothing';
    if (held === 'backslash') {
      if (byte === CAPITAL_N && !this.isInQuotes) this.held = 'null';
      else this.text(ESCAPED.get(byte) ?? byte);
      return;
    }
    const isEnd = byte === TAB || byte === NEWLINE;
    if (held === 'null' && !isEnd) this.text(CAPITAL_N);
    if (held === 'return' && byte !== NEWLINE) this.text(RETURN);
    if (isEnd) this.endField(byte, held === 'null');
    else if (byte === BACKSLASH) this.held = 'backslash';
    else if (byte === RETURN) this.held = 'return';
    else this.text(byte);
  }

  private text(byte: number): void {
    this.openQuotes();
    if (byte === QUOTE) this.byte(QUOTE);
    this.byte(byte);
  }

  private endField(byte: number, isNull: boolean): void {
    if (!isNull) {
      this.openQuotes();
      this.byte(QUOTE);
    }
    this.isInQuotes = false;
    this.isRowBegun = byte === TAB;
    this.byte(this.isRowBegun ? COMMA : NEWLINE);
  }

  private openQuotes(): void {
    if (!this.isInQuotes) this.byte(QUOTE);
    this.isInQuotes = true;
  }

  private byte(byte: number): void {
    this.written[this.length++] = byte;
  }
}
