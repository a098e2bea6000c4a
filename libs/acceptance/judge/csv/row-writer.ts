import type { ChunkMemory } from '../chunk/chunk-memory.js';
import { INNER_BREAK } from './csv-fields.js';

const [QUOTE, BACKSLASH, SPACE] = [0x22, 0x5c, 0x20];
/** From so many bytes on, a call copies a text faster. */
const COPIED_BY_CALL = 40;

/** The escapes of the bytes that a JSON text must not contain unescaped. */
const ESCAPES: readonly (Buffer | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  if (byte === INNER_BREAK) return Buffer.from('\\n');
  if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) return undefined;
  return Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1));
});

/** Writes rows into a chunk's memory. A row lies in one piece, and can be removed again. */
export class RowWriter {
  private block: Buffer = Buffer.alloc(0);
  private length = 0;
  /** The beginnings of the current piece and of the current row. */
  private begun = 0;
  private rowFrom = 0;
  private ended = 0;
  private readonly pieces: Buffer[] = [];

  constructor(private readonly memory: ChunkMemory) {}

  /** Bytes of all rows so far. */
  get written(): number {
    return this.ended + this.length - this.begun;
  }

  beginRow(): void {
    this.rowFrom = this.length;
  }

  takeRowBack(): void {
    this.length = this.rowFrom;
  }

  /** Tells where the current row is, so that callers can write into it until the next call. */
  get place(): { readonly block: Buffer; readonly from: number } {
    return { block: this.block, from: this.rowFrom };
  }

  /** @returns views of the memory */
  end(): readonly Buffer[] {
    this.rowFrom = this.length;
    this.endPiece();
    return this.pieces;
  }

  byte(byte: number): void {
    this.room(1);
    this.block[this.length++] = byte;
  }

  ascii(text: string): void {
    this.room(text.length);
    const { block } = this;
    let at = this.length;
    for (let index = 0; index < text.length; index += 1) block[at++] = text.charCodeAt(index);
    this.length = at;
  }

  copy(source: Buffer, from = 0, to = source.length): void {
    this.room(to - from);
    const { block } = this;
    if (to - from >= COPIED_BY_CALL) {
      this.length += source.copy(block, this.length, from, to);
      return;
    }
    let at = this.length;
    for (let index = from; index < to; index += 1) block[at++] = source[index] ?? 0;
    this.length = at;
  }

  /**
   * A field of CSV as a text of JSON.
   * @param isSpecial whether it may have bytes that JSON writes otherwise
   */
  text(source: Buffer, from: number, to: number, isSpecial: boolean, isQuoted: boolean): void {
    this.byte(QUOTE);
    if (isSpecial) this.escaped(source, from, to, isQuoted);
    else this.copy(source, from, to);
    this.byte(QUOTE);
  }

  private escaped(source: Buffer, from: number, to: number, isQuoted: boolean): void {
    let begun = from;
    for (let index = from; index < to; index += 1) {
      const byte = source[index] ?? 0;
      const escape = ESCAPES[byte];
      if (!escape) continue;
      this.copy(source, begun, index);
      this.copy(escape);
      // Within quotes, two quotes stand for one.
      if (byte === QUOTE && isQuoted) index += 1;
      begun = index + 1;
    }
    if (begun < to) this.copy(source, begun, to);
  }

  /** A row that does not fit goes on in another block. */
  private room(bytes: number): void {
    if (this.length + bytes <= this.block.length) return;
    const row = this.block.subarray(this.rowFrom, this.length);
    this.endPiece();
    // If a row is already long, it may become much longer.
    this.block = this.memory.block(2 * row.length + bytes);
    this.begun = 0;
    this.rowFrom = 0;
    this.length = row.copy(this.block);
  }

  /** Ends the piece before the current row. */
  private endPiece(): void {
    const { begun, block, rowFrom } = this;
    if (rowFrom > begun) this.pieces.push(block.subarray(begun, rowFrom));
    this.ended += rowFrom - begun;
    this.begun = rowFrom;
  }
}
