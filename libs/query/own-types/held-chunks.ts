/** This many bytes of an answer are held at once: headers, and the end of the answer. */
const HELD_MAX = 64 * 1024 * 1024;

/** Chunks of an answer that are not sent yet, by their places in the whole answer. */
export class HeldChunks {
  private chunks: Buffer[] = [];
  private start = 0;
  /** The end of all bytes so far. */
  end = 0;

  add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.end += chunk.length;
  }

  /** Copies the held bytes. */
  bytes(from: number, to = this.end): Buffer {
    const buffers: Buffer[] = [];
    let at = this.start;
    for (const chunk of this.chunks) {
      buffers.push(chunk.subarray(Math.max(0, from - at), Math.max(0, to - at)));
      at += chunk.length;
    }
    return Buffer.concat(buffers);
  }

  /** Overwrites the bytes in place, because the reader of an answer owns its memory. */
  write(from: number, bytes: Buffer): void {
    let at = this.start;
    for (const chunk of this.chunks) {
      const within = from - at;
      if (within < chunk.length && within + bytes.length > 0)
        bytes.copy(chunk, Math.max(0, within), Math.max(0, -within));
      at += chunk.length;
    }
  }

  /** Replaces some bytes by others of any length; the bytes after them move. */
  replace(from: number, to: number, bytes: Buffer): void {
    const start = this.start;
    this.chunks = [this.bytes(start, from), bytes, this.bytes(to)].filter(
      ({ length }) => length > 0,
    );
    this.end = start + this.chunks.reduce((sum, { length }) => sum + length, 0);
  }

  /**
   * Releases the chunks that end before a place, in order. Their receiver frees their memory.
   * @throws {RangeError} when too much would stay.
   */
  release(before: number): Buffer[] {
    const released: Buffer[] = [];
    for (const chunk of this.chunks) {
      if (this.start + chunk.length > before) break;
      released.push(chunk);
      this.start += chunk.length;
    }
    this.chunks = this.chunks.slice(released.length);
    if (this.end - this.start > HELD_MAX)
      throw new RangeError(`the description of an answer has more than ${HELD_MAX} bytes`);
    return released;
  }
}

/** Reads the structure of an answer while it arrives. */
export interface AnswerWalk {
  /**
   * Continues as far as there are bytes.
   * @param isWhole true when no more bytes will come.
   * @returns the place before which no byte will be changed.
   */
  walk(held: HeldChunks, isWhole: boolean): number;
}
