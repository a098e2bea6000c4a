import { open, type FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { diskFull, MillraceError } from '@app/platform';
import { BrokenFileError } from './broken-file-error.js';
import { rowGroups, type ColumnChunk } from './pages/column-chunks.js';
import { columnLevels } from './pages/column-levels.js';
import type { LeafColumn, NullableObject } from './nullable-objects.js';

/** This many rows become the bits of one number. */
const WORD = 64;
const WORD_BYTES = 8;
const ENTRY_BYTES = 2 * WORD_BYTES;
/**
 * The limit of numbers for all structs and maps of a file. Each stands for some rows, and needs
 * disk space.
 */
const WORDS_MAX = 8 * 1024 * 1024;
const WRITE_BYTES = 64 * 1024;
/** After so many of them, other work gets its turn. */
const RUNS_AT_ONCE = 65_536;

/** The column of a row group whose levels show where a struct or a map is null. */
interface TellingColumn {
  readonly rows: number;
  readonly leaf: LeafColumn;
  readonly chunk: ColumnChunk;
}

/**
 * Finds the smallest column within each struct or map, in each row group.
 * @param footer of the file, without its last eight bytes
 * @throws {Error} that says what is wrong with it
 */
export function tellingColumns(
  footer: Uint8Array,
  objects: readonly NullableObject[],
): ReadonlyMap<NullableObject, readonly TellingColumn[]> {
  const found = new Map(objects.map((object): [NullableObject, TellingColumn[]] => [object, []]));
  const wanted = new Set(objects.flatMap(({ leaves }) => leaves.map(({ column }) => column)));
  for (const { rows, chunks } of rowGroups(footer, wanted))
    for (const [{ leaves }, telling] of found) {
      let least: TellingColumn | undefined;
      for (const leaf of leaves) {
        const chunk = chunks.get(leaf.column);
        if (!chunk) throw new BrokenFileError('a row group has not all columns');
        if (!least || chunk.unpackedBytes < least.chunk.unpackedBytes)
          least = { rows, leaf, chunk };
      }
      if (least) telling.push(least);
    }
  return found;
}

/** Counts the memory that the nulls of a file may still take. */
export class NullsAllowance {
  private words = 0;

  /** @throws {MillraceError} UPLOAD_TOO_LARGE */
  take(): void {
    this.words += 1;
    if (this.words > WORDS_MAX) throw tooMany();
  }
}

/**
 * Writes down in which rows of a file a struct or a map is null. The engine does not show it: a
 * null struct reads as an empty one. The levels show it, and the levels of one column within it are
 * enough.
 * @param target a file that is written, and must stay while the rows are read
 * @returns how many rows those are; without one there is no file
 * @throws {MillraceError} UPLOAD_TOO_LARGE
 * @throws {Error} that says what is wrong with the file
 */
export async function nullObjects(
  file: string,
  telling: readonly TellingColumn[],
  target: string,
  allowance: NullsAllowance,
): Promise<number> {
  const nulls = new NullRows(target, allowance);
  const handle = await open(file);
  try {
    for (const { rows, leaf, chunk } of telling) {
      const end = nulls.at + rows;
      for await (const page of columnLevels(handle, chunk, leaf)) {
        let runs = 0;
        for (const { repetition, definition, count } of page) {
          if (repetition === 0) nulls.pass(count, definition === 0);
          runs += 1;
          if (runs % RUNS_AT_ONCE !== 0) continue;
          await nulls.write();
          await setImmediate();
        }
        await nulls.write();
      }
      if (nulls.at !== end) throw new BrokenFileError('a column has other rows than its row group');
    }
    await nulls.write(true);
  } finally {
    await handle.close();
    await nulls.close();
  }
  return nulls.count;
}

/**
 * The columns by which the engine reads the file of {@link nullObjects}: `bits` are those of 64
 * rows from `at` on.
 */
export const NULL_ROWS = { format: 'RowBinary', structure: 'at UInt64, bits UInt64' } as const;

/**
 * Collects rows of a file, counted from 0. Rows with nulls are written as bits of numbers, each
 * after the row at which it begins.
 */
class NullRows {
  at = 0;
  /** The number of nulls so far. */
  count = 0;
  private word = 0n;
  private wordAt = 0;
  private full: Buffer[] = [];
  private buffer = Buffer.alloc(WRITE_BYTES);
  private used = 0;
  private handle: FileHandle | undefined;

  constructor(
    private readonly target: string,
    private readonly allowance: NullsAllowance,
  ) {}

  pass(count: number, areNull: boolean): void {
    if (areNull) {
      this.count += count;
      for (let left = count, at = this.at; left > 0;) {
        const bit = at % WORD;
        const taken = Math.min(left, WORD - bit);
        if (at - bit !== this.wordAt) this.flush(at - bit);
        this.word |= ((1n << BigInt(taken)) - 1n) << BigInt(bit);
        at += taken;
        left -= taken;
      }
    }
    this.at += count;
  }

  private flush(next: number): void {
    if (this.word !== 0n) {
      this.allowance.take();
      this.buffer.writeBigUInt64LE(BigInt(this.wordAt), this.used);
      this.buffer.writeBigUInt64LE(this.word, this.used + WORD_BYTES);
      this.used += ENTRY_BYTES;
      if (this.used === WRITE_BYTES) this.turn();
    }
    [this.word, this.wordAt] = [0n, next];
  }

  private turn(): void {
    this.full.push(this.buffer.subarray(0, this.used));
    this.buffer = Buffer.alloc(WRITE_BYTES);
    this.used = 0;
  }

  /** @param isEnd whether no more rows come */
  async write(isEnd = false): Promise<void> {
    if (isEnd) this.flush(this.at);
    if (isEnd && this.used > 0) this.turn();
    if (this.full.length === 0) return;
    this.handle ??= await open(this.target, 'w');
    const bytes = Buffer.concat(this.full);
    this.full = [];
    const { bytesWritten } = await this.handle.write(bytes);
    if (bytesWritten < bytes.length) throw diskFull();
  }

  async close(): Promise<void> {
    await this.handle?.close();
  }
}

const tooMany = (): MillraceError =>
  new MillraceError(
    'UPLOAD_TOO_LARGE',
    'structs and maps of a file are null in too many rows; split it',
  );
