import { MillraceError } from '@app/platform';

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const CAPITAL_N = 0x4e;
const BACKSLASH = 0x5c;
const SMALL_X = 0x78;

/** The control characters that letters stand for behind a backslash. */
const CONTROLS: Readonly<Record<string, number>> = {
  '0': 0x00,
  a: 0x07,
  b: 0x08,
  e: 0x1b,
  t: TAB,
  n: NEWLINE,
  v: 0x0b,
  f: 0x0c,
  r: RETURN,
};
const ESCAPED = new Map(
  Object.entries(CONTROLS).map(([letter, byte]) => [letter.charCodeAt(0), byte]),
);
/** Bytes that stand for themselves behind a backslash, as control characters do. */
const PLAIN: ReadonlySet<number> = new Set(Buffer.from('\\`"\'/='));
const SPACE = 0x20;
const NO_NULL = '\\N is null, and stands alone; a text with a backslash has two';
const HEX_DIGITS = /^[\da-f]{2}$/i;
/** One byte becomes at most this many: a held byte, a quote before, and itself twice. */
const GROWTH = 4;

/**
 * Writes rows of TabSeparated as CSV. A value is in quotes, and null, which is `\N` there, is an
 * empty field without quotes.
 * @throws {MillraceError} MALFORMED_BODY, while the rows are read
 */
export async function* csvOfTabs(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const writer = new CsvOfTabs();
  for await (const piece of rows) yield writer.push(piece);
  yield writer.end();
}

class CsvOfTabs {
  /** The bytes of the field before this one that mean something only with the next byte. */
  private held: 'nothing' | 'backslash' | 'hex' | 'null' | 'nullReturn' | 'return' = 'nothing';
  /** The digits behind `\x`. */
  private hex = '';
  private line = 1;
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
    if (this.held === 'backslash' || this.held === 'hex')
      throw this.problem('the rows end behind a backslash');
    const isOpen = this.isRowBegun || this.isInQuotes || this.held !== 'nothing';
    return isOpen ? this.push(Buffer.from('\n')) : Buffer.alloc(0);
  }

  private take(byte: number): void {
    const { held } = this;
    this.held = 'nothing';
    if (held === 'backslash') this.escaped(byte);
    else if (held === 'hex') this.hexadecimal(byte);
    else if (held === 'null' || held === 'nullReturn') this.behindNull(byte, held);
    else this.unescaped(byte, held === 'return');
  }

  private behindNull(byte: number, held: 'null' | 'nullReturn'): void {
    if (held === 'null' && byte === RETURN) this.held = 'nullReturn';
    else if (byte === NEWLINE || (held === 'null' && byte === TAB)) this.endField(byte, true);
    else throw this.problem(NO_NULL);
  }

  private unescaped(byte: number, isBehindReturn: boolean): void {
    if (isBehindReturn && byte !== NEWLINE) this.text(RETURN);
    if (byte === TAB || byte === NEWLINE) this.endField(byte, false);
    else if (byte === BACKSLASH) this.held = 'backslash';
    else if (byte === RETURN) this.held = 'return';
    else this.text(byte);
  }

  /** A backslash before any other byte is one of the text, as in `C:\dir` and `100\%`. */
  private escaped(byte: number): void {
    const control = ESCAPED.get(byte);
    if (byte === SMALL_X) this.held = 'hex';
    else if (byte === CAPITAL_N && !this.isInQuotes) this.held = 'null';
    else if (byte === CAPITAL_N) throw this.problem(NO_NULL);
    else {
      if (control === undefined && byte >= SPACE && !PLAIN.has(byte)) this.text(BACKSLASH);
      this.text(control ?? byte);
    }
  }

  private hexadecimal(byte: number): void {
    this.hex += String.fromCharCode(byte);
    if (this.hex.length < 2) this.held = 'hex';
    else if (!HEX_DIGITS.test(this.hex))
      throw this.problem('behind \\x stand two hexadecimal digits');
    else {
      this.text(parseInt(this.hex, 16));
      this.hex = '';
    }
  }

  private problem(what: string): MillraceError {
    return new MillraceError('MALFORMED_BODY', `line ${this.line}: ${what}; nothing is stored`);
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
    if (byte === NEWLINE) this.line += 1;
  }

  private openQuotes(): void {
    if (!this.isInQuotes) this.byte(QUOTE);
    this.isInQuotes = true;
  }

  private byte(byte: number): void {
    this.written[this.length++] = byte;
  }
}
