import { fileStructure, writeTimeOfDay, writeZoneless, type WrittenElement } from '@app/parquet';
import { certain } from '@app/platform';
import { sayOwnTimes, type AnswerField } from './answer-field.js';
import type { AnswerWalk, HeldChunks } from './held-chunks.js';

/** The mark that a file begins with. */
const MARK_BYTES = 4;
/** Enough for a page's header; what is longer is read again when twice as much is there. */
const FIRST_LOOK_BYTES = 16 * 1024;

/** Over a Parquet file from its beginning: its footer, where the schema is, is found when it comes. */
export class ParquetWalk implements AnswerWalk {
  private at = MARK_BYTES;
  private look = FIRST_LOOK_BYTES;
  private isDone = false;

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
    return this.isDone || isWhole ? held.end : this.at;
  }

  /** @returns whether the bytes up to there hold the structure that begins here. */
  private structure(held: HeldChunks, to: number): boolean {
    const bytes = held.bytes(this.at, Math.min(to, held.end));
    const found = fileStructure(bytes);
    if (found === undefined) return false;
    if (typeof found === 'number') {
      this.at += found;
      return true;
    }
    for (const [at, column] of found.entries())
      sayOwnTimes(certain(this.types[at], `type of column ${at}`), this.fieldOf(column, bytes));
    held.write(this.at, bytes);
    this.isDone = true;
    return true;
  }

  private fieldOf({ children, timestamp }: WrittenElement, bytes: Buffer): AnswerField {
    const written = { children: children.map((child) => this.fieldOf(child, bytes)) };
    if (!timestamp) return written;
    return {
      ...written,
      ...(!this.inZone && { dropZone: () => writeZoneless(bytes, timestamp) }),
      asTimeOfDay: () => writeTimeOfDay(bytes, timestamp),
    };
  }
}
