import { usageError } from '../exit-code.js';

/**
 * Four slices of this size need little memory and little time on the network, and each is large
 * enough to become one batch.
 */
export const SLICE_BYTES = 16 * 1024 * 1024;
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const ROOM = 1024 * 1024;
const NEWLINE = 0x0a;

/** Finds where a slice ends. Each slice needs a new finder. */
export interface Cutter {
  /**
   * @param held the bytes of the slice so far, those of earlier calls included
   * @returns the end of the first record at which the slice is long enough, or -1
   */
  find(held: Buffer): number;
}

export interface Cut {
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * Cuts a text between records. The same text is always cut at the same places, in whatever pieces
 * it arrives. It holds one slice in memory.
 */
export async function* cutSlices(
  source: AsyncIterable<Buffer>,
  newCutter: () => Cutter,
): AsyncGenerator<Cut> {
  let held: Buffer = Buffer.allocUnsafe(SLICE_BYTES + ROOM);
  let length = 0;
  let offset = 0;
  let cutter = newCutter();
  for await (const piece of source) {
    if (length + piece.length > held.length) held = grown(held, length, piece.length, offset);
    length += piece.copy(held, length);
    let end = cutter.find(held.subarray(0, length));
    while (end >= 0) {
      yield { offset, bytes: held.subarray(0, end) };
      const rest = held.subarray(end, length);
      held = Buffer.allocUnsafe(Math.max(SLICE_BYTES + ROOM, rest.length));
      length = rest.copy(held);
      offset += end;
      cutter = newCutter();
      end = cutter.find(held.subarray(0, length));
    }
  }
  if (length > 0) yield { offset, bytes: held.subarray(0, length) };
}

function grown(held: Buffer, length: number, more: number, offset: number): Buffer {
  if (length + more > SLICE_BYTES + LINE_BYTES_MAX)
    throw usageError(
      `there is no end to the record around byte ${offset + SLICE_BYTES}: longer than ${LINE_BYTES_MAX} bytes`,
    );
  const larger = Buffer.allocUnsafe(2 * (length + more));
  held.copy(larger, 0, 0, length);
  return larger;
}

/** Cuts at the first line break beyond so many bytes. */
export class LineCutter implements Cutter {
  private searched: number;

  constructor(atLeast: number) {
    this.searched = atLeast - 1;
  }

  find(held: Buffer): number {
    if (held.length <= this.searched) return -1;
    const at = held.indexOf(NEWLINE, this.searched);
    this.searched = held.length;
    return at + 1 || -1;
  }
}
