import type { ChunkMemory } from '../chunk/chunk-memory.js';

/** Fewer bytes are copied faster one by one than by a call. */
const COPIED_BY_CALL = 160;
/** If so many bytes stand together, they are not copied at all. */
const PIECE_BYTES = 64 * 1024;

/** A piece of a line that is written differently from how it came. */
export interface Patch {
  readonly from: number;
  readonly to: number;
  /** Its bytes, a character for each. */
  readonly text: string;
  /** A number from {@link HALF} on that follows the text, with a comma behind it. */
  readonly micros?: number;
}

const [ZERO, COMMA] = [0x30, 0x2c];
/** Integers below it are small ones, with which V8 calculates faster. */
export const HALF = 10 ** 8;
const HALF_DIGITS = 8;
const DIGITS_MAX = 16;

/**
 * Collects lines of a chunk. Most lines stay unchanged, and a run of unchanged lines is not copied.
 */
export class LineWriter {
  private readonly pieces: Buffer[] = [];
  /** Takes the bytes that are copied. Those that belong to no piece yet begin at `begun`. */
  private block: Buffer = Buffer.alloc(0);
  private begun = 0;
  private length = 0;
  /** The beginning and the end of the lines that are written next. */
  private from = 0;
  private to = 0;

  constructor(
    private readonly source: Buffer,
    private readonly memory: ChunkMemory,
  ) {}

  /** Adds a line with its line break, also after the last line. */
  line(from: number, to: number): void {
    if (from !== this.to) {
      this.writeKept();
      this.from = from;
    }
    this.to = to;
  }

  /** @param patches in their order; the line ends with a line break */
  patched(from: number, to: number, patches: readonly Patch[]): void {
    this.writeKept();
    let at = from;
    for (const patch of patches) {
      this.copy(at, patch.from);
      this.latin1(patch.text);
      if (patch.micros !== undefined) this.number(patch.micros);
      at = patch.to;
    }
    this.copy(at, to);
  }

  /** @returns views of the source and of the memory */
  end(): readonly Buffer[] {
    this.writeKept();
    this.endPiece();
    return this.pieces;
  }

  private writeKept(): void {
    const { from, to } = this;
    this.from = 0;
    this.to = 0;
    if (to - from < PIECE_BYTES) {
      this.copy(from, to);
      return;
    }
    this.endPiece();
    this.pieces.push(this.source.subarray(from, to));
  }

  private endPiece(): void {
    if (this.length > this.begun) this.pieces.push(this.block.subarray(this.begun, this.length));
    this.begun = this.length;
  }

  private copy(from: number, to: number): void {
    this.room(to - from);
    const { source, block } = this;
    if (to - from >= COPIED_BY_CALL) {
      this.length += source.copy(block, this.length, from, to);
      return;
    }
    let at = this.length;
    for (let index = from; index < to; index += 1) block[at++] = source[index] ?? 0;
    this.length = at;
  }

  private latin1(text: string): void {
    this.room(text.length);
    const { block } = this;
    let at = this.length;
    for (let index = 0; index < text.length; index += 1) block[at++] = text.charCodeAt(index);
    this.length = at;
  }

  /** Writes it in two halves, without a text of it: the time of a tenth of judging such lines. */
  private number(value: number): void {
    this.room(DIGITS_MAX + 1);
    const { block } = this;
    const high = Math.floor(value / HALF);
    let at = this.length;
    for (let rest = high; rest > 0; rest = Math.floor(rest / 10)) at += 1;
    writeDigits(block, this.length, at, high);
    writeDigits(block, at, at + HALF_DIGITS, value - high * HALF);
    this.length = at + HALF_DIGITS;
    block[this.length++] = COMMA;
  }

  private room(bytes: number): void {
    if (this.length + bytes <= this.block.length) return;
    this.endPiece();
    this.block = this.memory.block(bytes);
    this.begun = 0;
    this.length = 0;
  }
}

function writeDigits(block: Buffer, from: number, to: number, value: number): void {
  let rest = value;
  for (let at = to - 1; at >= from; at -= 1) {
    const tenth = Math.floor(rest / 10);
    block[at] = ZERO + rest - 10 * tenth;
    rest = tenth;
  }
}
