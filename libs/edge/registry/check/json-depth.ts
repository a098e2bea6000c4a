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
 * @throws {BrokenFileError} where objects or lists are within each other in more levels than the engine can take
 */
export async function checkJsonDepth(file: string): Promise<void> {
  const scan = new DepthScan();
  for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES }))
    scan.take(piece as Buffer);
}

/** Brackets within texts do not count. */
class DepthScan {
  private objects = 0;
  private lists = 0;
  private isText = false;
  private isEscaped = false;
  private lines = 1;

  take(piece: Buffer): void {
    let { isText, isEscaped } = this;
    for (const byte of piece) {
      if (byte === LF) this.lines += 1;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === QUOTE) isText = false;
        else if (byte === BACKSLASH) isEscaped = true;
      } else if (byte === QUOTE) isText = true;
      else if ((byte | OBJECT_BIT) === OPEN_OBJECT) this.open(byte);
      else if ((byte | OBJECT_BIT) === CLOSE_OBJECT) this.close(byte);
    }
    this.isText = isText;
    this.isEscaped = isEscaped;
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
