import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFull, MillraceError } from '@app/platform';
import type { ColumnarBlock } from '@app/warehouse';

/** Rows of a table in the engine's columnar form, in a file that the local engine can read. */
export interface RowChunk {
  /** Absolute path. */
  readonly file: string;
  /** Number of its first row within the upload, from 1. */
  readonly firstLine: number;
  readonly rows: number;
  readonly bytes: number;
}

export interface RowSpoolOptions {
  readonly directory: string;
  /** A chunk is cut after the block that reaches one of these. */
  readonly chunkBytes: number;
  readonly chunkRows: number;
  /** Of all rows together. */
  readonly maxBytes: number;
}

/**
 * Writes blocks to files of about `chunkBytes` each and yields each file when it is complete.
 * @throws {MillraceError} UPLOAD_TOO_LARGE when the rows are more than `maxBytes`, however small they were packed.
 */
export async function* spoolRows(
  blocks: AsyncIterable<ColumnarBlock>,
  { directory, chunkBytes, chunkRows, maxBytes }: RowSpoolOptions,
): AsyncGenerator<RowChunk> {
  let handle: FileHandle | undefined;
  let file = '';
  let [index, firstLine, rows, bytes, total] = [0, 1, 0, 0, 0];
  const finish = async (): Promise<RowChunk> => {
    await handle?.close();
    handle = undefined;
    const chunk = { file, firstLine, rows, bytes };
    firstLine += rows;
    [rows, bytes] = [0, 0];
    return chunk;
  };
  try {
    for await (const block of blocks) {
      total += block.bytes.length;
      if (total > maxBytes) throw tooLarge(maxBytes);
      if (!handle) {
        file = join(directory, `${index}.native`);
        index += 1;
        handle = await open(file, 'w');
      }
      const { bytesWritten } = await handle.write(block.bytes);
      if (bytesWritten < block.bytes.length) throw diskFull();
      rows += block.rows;
      bytes += block.bytes.length;
      if (bytes >= chunkBytes || rows >= chunkRows) yield await finish();
    }
    if (rows > 0) yield await finish();
  } finally {
    await handle?.close();
  }
}

const tooLarge = (maxBytes: number): MillraceError =>
  new MillraceError(
    'UPLOAD_TOO_LARGE',
    `the rows of an upload may have at most ${maxBytes} bytes when unpacked; split it`,
  );
