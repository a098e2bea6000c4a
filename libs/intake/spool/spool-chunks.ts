import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFull } from '@app/platform';
import { type Chunk, refuseLongRecord } from '@app/acceptance';
import { GatheredPieces } from './gathered-pieces.js';

const NEWLINE = 0x0a;
const WRITE_AT_ONCE = 256 * 1024;

interface SpoolOptions {
  readonly directory: string;
  /** A chunk is cut at the first line break after so many bytes. */
  readonly chunkBytes: number;
  readonly maxRecordBytes: number;
}

/**
 * Writes lines to files of about `chunkBytes` each, cut between lines, and yields each file when
 * it is complete. Memory holds a mebibyte of it, whatever the upload's size.
 * @throws {MillraceError} UPLOAD_TOO_LARGE when a record is longer than `maxRecordBytes`.
 */
export async function* spoolChunks(
  lines: AsyncIterable<Buffer>,
  options: SpoolOptions,
): AsyncIterable<Chunk> {
  const { directory, chunkBytes, maxRecordBytes } = options;
  let index = 0;
  let firstLine = 1;
  let chunk = await ChunkFile.create(directory, index, firstLine);
  try {
    for await (const piece of lines) {
      const line = firstLine + chunk.lines;
      refuseLongRecord(piece, { maxRecordBytes, begun: chunk.unbroken, line });
      const cut = chunk.bytes + piece.length > chunkBytes ? piece.lastIndexOf(NEWLINE) + 1 : 0;
      if (cut === 0) {
        await chunk.write(piece);
        continue;
      }
      await chunk.write(piece.subarray(0, cut));
      yield await chunk.finish();
      firstLine += chunk.lines;
      index += 1;
      chunk = await ChunkFile.create(directory, index, firstLine);
      await chunk.write(piece.subarray(cut));
    }
    if (chunk.bytes > 0) yield await chunk.finish();
  } finally {
    await chunk.close();
  }
}

class ChunkFile {
  bytes = 0;
  lines = 0;
  /** Bytes since the last line break. */
  unbroken = 0;
  private readonly waiting = new GatheredPieces();
  private open = true;

  private constructor(
    private readonly file: string,
    private readonly firstLine: number,
    private readonly handle: FileHandle,
  ) {}

  static async create(directory: string, index: number, firstLine: number): Promise<ChunkFile> {
    const file = join(directory, `${index}.ndjson`);
    return new ChunkFile(file, firstLine, await open(file, 'w'));
  }

  async write(piece: Buffer): Promise<void> {
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) {
      this.lines += 1;
    }
    const lastBreak = piece.lastIndexOf(NEWLINE);
    this.unbroken = lastBreak < 0 ? this.unbroken + piece.length : piece.length - lastBreak - 1;
    this.bytes += piece.length;
    this.waiting.push(piece);
    if (this.waiting.bytes >= WRITE_AT_ONCE) await this.flush();
  }

  async finish(): Promise<Chunk> {
    await this.flush();
    await this.close();
    const { file, firstLine, lines, bytes } = this;
    return { file, firstLine, lines, bytes };
  }

  async close(): Promise<void> {
    if (!this.open) return;
    this.open = false;
    await this.handle.close();
  }

  private async flush(): Promise<void> {
    const { bytes } = this.waiting;
    if (bytes === 0) return;
    const pieces = this.waiting.take();
    const { bytesWritten } = await this.handle.writev(pieces);
    if (bytesWritten < bytes) throw diskFull();
  }
}
