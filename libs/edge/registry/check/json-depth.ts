import { createReadStream } from 'node:fs';
import { BrokenFileError } from '@app/parquet';

const [QUOTE, BACKSLASH, LF] = [0x22, 0x5c, 0x0a];
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];
/** Turns a bracket of a list into the one of an object. */
const OBJECT_BIT = 0x20;
const PIECE_BYTES = 1024 ** 2;

/** Each level doubles the time in which the engine infers types: 22 take 20 seconds, and 50 take years. */
export const OBJECT_LEVELS_MAX = 16;
/** Lists alone cost little, and they have an end because types have one. */
const LIST_LEVELS_MAX = 100;

/**
 * Reads a file of JSON and looks only at its brackets.
 * @param most bytes from its beginning
 * @throws {BrokenFileError} where objects or lists are within each other in more levels than the engine can take
 */
export async function checkJsonDepth(file: string, most = Infinity): Promise<void> {
  const scan = new DepthScan();
  for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES, end: most - 1 }))
    scan.take(piece as Buffer);
}

/** The bytes outside of texts that do not stand for themselves. */
const OTHERS = new Uint8Array(256);
for (const byte of Buffer.from('"{}[]\n')) OTHERS[byte] = 1;

const isOther = (byte: number | undefined): boolean => byte !== undefined && OTHERS[byte] === 1;

/** Brackets within texts do not count. */
class DepthScan {
  private objects = 0;
  private lists = 0;
  private isText = false;
  private isEscaped = false;
  private lines = 1;

  take(piece: Buffer): void {
    let { isText } = this;
    let at = this.isEscaped && piece.length > 0 ? 1 : 0;
    this.isEscaped &&= piece.length === 0;
    for (;;) {
      // Most bytes are within texts, or stand for themselves.
      if (isText)
        while (at < piece.length && piece[at] !== QUOTE && piece[at] !== BACKSLASH) at += 1;
      else while (at < piece.length && !isOther(piece[at])) at += 1;
      if (at >= piece.length) break;
      const byte = piece.readUInt8(at);
      at += 1;
      if (byte === QUOTE) isText = !isText;
      else if (isText) {
        this.isEscaped = at === piece.length;
        at += 1;
      } else if (byte === LF) this.lines += 1;
      else if ((byte | OBJECT_BIT) === OPEN_OBJECT) this.open(byte);
      else this.close(byte);
    }
    this.isText = isText;
  }

  private open(byte: number): void {
    if (byte === OPEN_OBJECT) this.objects += 1;
    else this.lists += 1;
    if (this.objects > OBJECT_LEVELS_MAX) throw tooDeep(this.lines, 'objects', OBJECT_LEVELS_MAX);
    if (this.lists > LIST_LEVELS_MAX) throw tooDeep(this.lines, 'lists', LIST_LEVELS_MAX);
  }

  /** A file that is not JSON may close what was never opened. */
  private close(byte: number): void {
    if (byte === CLOSE_OBJECT) this.objects = Math.max(0, this.objects - 1);
    else this.lists = Math.max(0, this.lists - 1);
  }
}

const tooDeep = (line: number, kind: 'objects' | 'lists', most: number): BrokenFileError =>
  new BrokenFileError(
    `line ${line} has ${kind} within each other in more than ${most} levels: write what is inside as text, or in fields of its own`,
  );
