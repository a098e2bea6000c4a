import { join } from 'node:path';
import { MillraceError } from '@app/platform';
import type { RowFile, RowFiles } from '@app/warehouse';

/** Rows of a table in the engine's columnar form, in a file that the local engine can read. */
export interface RowChunk {
  /** Absolute path. */
  readonly file: string;
  /** Number of its first row within the upload, from 1. */
  readonly firstLine: number;
  readonly rows: number;
  readonly bytes: number;
  /** Tells whether the rows that fit are written without compression. */
  readonly isPlain?: boolean;
}

interface RowSpoolOptions {
  readonly directory: string;
  /** A chunk is cut after the block that reaches one of these. */
  readonly chunkBytes: number;
  readonly chunkRows: number;
  /** The most bytes of all rows together. */
  readonly maxBytes: number;
}

/**
 * Has rows written to files of about `chunkBytes` each and yields each file when it is complete.
 * @param write writes them; it asks where the next ones go for each file that it reads
 * @throws {MillraceError} UPLOAD_TOO_LARGE when the rows are more than `maxBytes`, however small they were packed.
 */
export async function* spoolRows(
  write: (target: () => RowFiles) => AsyncIterable<RowFile>,
  { directory, chunkBytes, chunkRows, maxBytes }: RowSpoolOptions,
): AsyncGenerator<RowChunk> {
  let [index, firstLine, rows, bytes, total] = [0, 1, 0, 0, 0];
  const finish = (): RowChunk => {
    const chunk = { file: join(directory, `${index}.native`), firstLine, rows, bytes };
    firstLine += rows;
    [index, rows, bytes] = [index + 1, 0, 0];
    return chunk;
  };
  const target = (): RowFiles => {
    return { directory, index, rows, bytes, rowsMax: chunkRows, bytesMax: chunkBytes };
  };
  for await (const added of write(target)) {
    total += added.bytes;
    if (total > maxBytes) throw tooLarge(maxBytes);
    rows += added.rows;
    bytes += added.bytes;
    if (added.isFull) yield finish();
  }
  if (rows > 0) yield finish();
}

const tooLarge = (maxBytes: number): MillraceError =>
  new MillraceError(
    'UPLOAD_TOO_LARGE',
    `the rows of an upload may have at most ${maxBytes} bytes when unpacked; split it`,
  );
