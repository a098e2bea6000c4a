import {
  fileStructure,
  writeTimeOfDay,
  writeZoneless,
  type BytesRange,
  type WrittenElement,
} from '@app/parquet';
import { certain } from '@app/platform';
import { sayOwnTypes, type AnswerField } from './answer-field.js';
import type { AnswerWalk, HeldChunks } from './held-chunks.js';

/** The mark that a file begins with. */
const MARK_BYTES = 4;
/** A file ends with the length of its footer and the mark. */
const TAIL_BYTES = 8;
/**
 * This many bytes are enough for a page's header. A longer structure is read again when twice as many
 * bytes are there.
 */
const FIRST_LOOK_BYTES = 16 * 1024;

/**
 * Walks over a Parquet file from its beginning. It looks for the footer, which has the schema, when
 * the footer arrives.
 */
export class ParquetWalk implements AnswerWalk {
  private at = MARK_BYTES;
  private look = FIRST_LOOK_BYTES;
  private isDone = false;
  /** The notes of text at columns that contain bytes. */
  private readonly dropped: BytesRange[] = [];

  constructor(
    private readonly types: readonly string[],
    private readonly inZone: boolean,
  ) {}

  walk(held: HeldChunks, isWhole: boolean): number {
    while (!this.isDone && this.at < held.end) {
      if (held.end - this.at < this.look && !isWhole) break;
      if (!this.structure(held, this.at + this.look)) {
        if (this.at + this.look >= held.end && isWhole) break;
        this.look *= 2;
      } else this.look = FIRST_LOOK_BYTES;
    }
    if (isWhole) {
      if (this.isDone) this.shortenFooter(held);
      return held.end;
    }
    return this.isDone ? held.end - TAIL_BYTES : this.at;
  }

  /** @returns whether the bytes so far contain the whole structure that begins here. */
  private structure(held: HeldChunks, to: number): boolean {
    const bytes = held.bytes(this.at, Math.min(to, held.end));
    const found = fileStructure(bytes);
    if (found === undefined) return false;
    if (typeof found === 'number') {
      this.at += found;
      return true;
    }
    for (const [at, column] of found.entries())
      sayOwnTypes(certain(this.types[at], `type of column ${at}`), this.fieldOf(column, bytes));
    held.replace(this.at, this.at + bytes.length, this.without(bytes));
    this.isDone = true;
    return true;
  }

  /** The elements were found in the order of their bytes. */
  private without(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    let at = 0;
    for (const { from, to } of this.dropped) {
      kept.push(bytes.subarray(at, from));
      at = to;
    }
    return Buffer.concat([...kept, bytes.subarray(at)]);
  }

  /** The footer's length is at the end of the file. */
  private shortenFooter(held: HeldChunks): void {
    const from = held.end - TAIL_BYTES;
    const tail = held.bytes(from);
    const dropped = this.dropped.reduce((sum, range) => sum + range.to - range.from, 0);
    tail.writeUInt32LE(tail.readUInt32LE(0) - dropped, 0);
    held.write(from, tail);
  }

  private fieldOf({ children, timestamp, text }: WrittenElement, bytes: Buffer): AnswerField {
    const written = {
      children: children.map((child) => this.fieldOf(child, bytes)),
      ...(text && { asBinary: () => this.dropped.push(text) }),
    };
    if (!timestamp) return written;
    return {
      ...written,
      ...(!this.inZone && { dropZone: () => writeZoneless(bytes, timestamp) }),
      asTimeOfDay: () => writeTimeOfDay(bytes, timestamp),
    };
  }
}
