/** Fewer bytes are copied faster one by one than by a call. */
const COPIED_BY_CALL = 160;

/** A part of a line that is written otherwise than it came. */
export interface Patch {
  readonly from: number;
  readonly to: number;
  /** Of ASCII. */
  readonly text: string;
}

/** Collects lines of a chunk, most of them as they are: neighbours are copied together. */
export class LineWriter {
  private target: Buffer;
  private length = 0;
  /** Where the lines begin and end that are to be copied next. */
  private from = 0;
  private to = 0;

  constructor(private readonly source: Buffer) {
    this.target = Buffer.allocUnsafe(source.length + source.length / 4 + 1024);
  }

  /** A line with its line break, the last one's too. */
  line(from: number, to: number): void {
    if (from !== this.to) {
      this.copyKept();
      this.from = from;
    }
    this.to = to;
  }

  /** @param patches in their order; the line ends with a line break */
  patched(from: number, to: number, patches: readonly Patch[]): void {
    this.copyKept();
    let at = from;
    for (const patch of patches) {
      this.copy(at, patch.from);
      this.ascii(patch.text);
      at = patch.to;
    }
    this.copy(at, to);
  }

  /** @returns a view that holds until the next line is written */
  end(): Buffer {
    this.copyKept();
    return this.target.subarray(0, this.length);
  }

  private copyKept(): void {
    this.copy(this.from, this.to);
    this.from = 0;
    this.to = 0;
  }

  private copy(from: number, to: number): void {
    this.room(to - from);
    const { source, target } = this;
    if (to - from >= COPIED_BY_CALL) {
      this.length += source.copy(target, this.length, from, to);
      return;
    }
    let at = this.length;
    for (let index = from; index < to; index += 1) target[at++] = source[index] ?? 0;
    this.length = at;
  }

  private ascii(text: string): void {
    this.room(text.length);
    const { target } = this;
    let at = this.length;
    for (let index = 0; index < text.length; index += 1) target[at++] = text.charCodeAt(index);
    this.length = at;
  }

  private room(bytes: number): void {
    if (this.length + bytes <= this.target.length) return;
    const larger = Buffer.allocUnsafe(2 * this.target.length + bytes);
    this.target.copy(larger, 0, 0, this.length);
    this.target = larger;
  }
}
