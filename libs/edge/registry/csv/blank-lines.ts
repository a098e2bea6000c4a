const [LF, CR] = [0x0a, 0x0d];
/** To look at each of fewer bytes takes no longer than to search them. */
const FEW_BYTES = 8;

/** Looks for blank lines between others, outside of quotes. Those before and behind all others are none. */
export class BlankLines {
  private hasContent = false;
  private isLineEmpty = true;
  /** A line was blank; it is between others if something follows. */
  private isPending = false;
  hasBlankLine = false;

  /** @param bytes the next ones that are not within quotes */
  take(bytes: Buffer): void {
    if (this.hasBlankLine) return;
    if (bytes.length < FEW_BYTES || this.mayHave(bytes)) {
      for (const byte of bytes) this.look(byte);
      return;
    }
    this.hasContent = true;
    this.isLineEmpty = bytes.at(-1) === LF;
  }

  /** A quote comes next. */
  takeQuote(): void {
    this.look(0);
  }

  private mayHave(bytes: Buffer): boolean {
    const isBreak = bytes[0] === LF || bytes[0] === CR;
    if (this.isPending || (this.isLineEmpty && isBreak)) return true;
    return bytes.includes('\n\n') || bytes.includes('\n\r');
  }

  private look(byte: number): void {
    if (byte === LF) {
      this.isPending ||= this.isLineEmpty && this.hasContent;
      this.isLineEmpty = true;
    } else if (byte !== CR) {
      this.hasBlankLine ||= this.isPending;
      this.hasContent = true;
      this.isLineEmpty = false;
    }
  }
}

/** Blanks, and the bytes of a byte order mark. */
const BEFORE_QUOTES: ReadonlySet<number> = new Set([0x20, 0x09, 0xef, 0xbb, 0xbf]);
type State = 'line' | 'field' | 'plain' | 'quoted' | 'quote';

/**
 * Takes the blank lines out of CSV.
 * @param delimiter one byte
 */
export async function* withoutBlankLines(
  pieces: AsyncIterable<Buffer>,
  delimiter: number,
): AsyncGenerator<Buffer> {
  let state: State = 'line';
  /** Returns at the beginning of a line, which belong to it if it is not blank. */
  let returns = 0;
  for await (const piece of pieces) {
    const out = Buffer.allocUnsafe(piece.length + returns);
    let length = 0;
    for (const byte of piece) {
      if (state === 'line') {
        if (byte === CR) returns += 1;
        if (byte === LF) returns = 0;
        if (byte === CR || byte === LF) continue;
        for (; returns > 0; returns -= 1) out[length++] = CR;
        state = 'field';
      }
      out[length++] = byte;
      state = after(byte, state, delimiter);
    }
    yield out.subarray(0, length);
  }
}

function after(byte: number, state: Exclude<State, 'line'>, delimiter: number): State {
  const isQuote = byte === 0x22;
  if (state === 'quoted') return isQuote ? 'quote' : 'quoted';
  if (byte === LF) return 'line';
  if (byte === delimiter) return 'field';
  if (isQuote && state !== 'plain') return 'quoted';
  return state === 'field' && BEFORE_QUOTES.has(byte) ? 'field' : 'plain';
}
