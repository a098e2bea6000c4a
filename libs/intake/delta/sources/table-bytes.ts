import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { MillraceError } from '@app/platform';
import type { SpoolRoom } from '../../spool/spool.js';

export interface TableBytesOptions {
  /** The most bytes of all files together. */
  readonly maxBytes: number;
  /** The upload's room, in which the written bytes count like its body. */
  readonly room: SpoolRoom;
}

/**
 * Writes files of a table to the upload's folder, up to the upload's limit and the room on the
 * disk.
 */
export class TableBytes {
  private bytes = 0;

  constructor(
    private readonly options: TableBytesOptions,
    private readonly tooLarge: (maxBytes: number) => MillraceError,
  ) {}

  /**
   * @returns the size of the file.
   * @throws {MillraceError} DISK_FULL, QUEUE_FULL, or that it is too large
   */
  async write(file: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const before = this.bytes;
    await pipeline(content, (pieces) => this.counted(pieces), createWriteStream(file));
    return this.bytes - before;
  }

  private async *counted(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const { maxBytes, room } = this.options;
    for await (const piece of pieces) {
      this.bytes += piece.length;
      if (this.bytes > maxBytes) throw this.tooLarge(maxBytes);
      await room.take(piece.length);
      yield piece;
    }
  }
}

export const tableTooLarge = (maxBytes: number): MillraceError =>
  new MillraceError(
    'UPLOAD_TOO_LARGE',
    `the files of a table may have at most ${maxBytes} bytes; upload it in parts`,
  );
