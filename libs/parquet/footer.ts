import { open, type FileHandle } from 'node:fs/promises';
import { parquetMetadata, type SchemaElement } from 'hyparquet';
import { MillraceError } from '@app/platform';
import { ENCRYPTED, footerOutline } from './footer-outline.js';

/** The end of a Parquet file. */
export interface Footer {
  /** All elements in order, each before those within it. */
  readonly schema: readonly SchemaElement[];
  /** The number of rows, as the footer says. */
  readonly rows: bigint;
  /** The footer's bytes without the last eight, which are its length and the format's mark. */
  readonly bytes: Buffer;
}

/** The length of the footer and the format's mark, at both ends of a file. */
const TAIL_BYTES = 8;
const MARK = 'PAR1';
const ENCRYPTED_MARK = 'PARE';
/**
 * The size of the footer, which is held in memory. Files with a thousand columns and a thousand row
 * groups need far less.
 */
const FOOTER_BYTES_MAX = 64 * 1024 * 1024;

/**
 * @param name what to call the file in a message.
 * @throws {MillraceError} MALFORMED_BODY when it is no Parquet file.
 */
export async function footerOf(file: string, name: string): Promise<Footer> {
  const handle = await open(file);
  try {
    const footer = await footerBytes(handle, name);
    const { schema, num_rows: rows } = parse(footer, name);
    return { schema, rows, bytes: footer.subarray(0, -TAIL_BYTES) };
  } finally {
    await handle.close();
  }
}

function parse(footer: Buffer, name: string): ReturnType<typeof parquetMetadata> {
  try {
    const outline = footerOutline(footer.subarray(0, -TAIL_BYTES));
    const tail = Buffer.from(footer.subarray(-TAIL_BYTES));
    tail.writeUInt32LE(outline.length, 0);
    return parquetMetadata(Uint8Array.from(Buffer.concat([outline, tail])), { geoparquet: false });
  } catch (error) {
    throw notParquet(name, `its footer cannot be read: ${(error as Error).message}`);
  }
}

async function footerBytes(handle: FileHandle, name: string): Promise<Buffer> {
  const { size } = await handle.stat();
  const tail = await bytesAt(handle, size - TAIL_BYTES, size < TAIL_BYTES ? 0 : size);
  const mark = tail.toString('latin1', 4);
  if (mark === ENCRYPTED_MARK) throw notParquet(name, ENCRYPTED);
  if (mark !== MARK)
    throw notParquet(name, `it does not end with ${MARK}; it is another format, or was cut off`);
  const length = tail.readUInt32LE(0) + TAIL_BYTES;
  if (length > size || length > FOOTER_BYTES_MAX)
    throw notParquet(name, `its footer would have ${length} bytes`);
  return bytesAt(handle, size - length, size);
}

async function bytesAt(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, to - from));
  await handle.read(buffer, 0, buffer.length, Math.max(0, from));
  return buffer;
}

export const notParquet = (name: string, why: string): MillraceError =>
  new MillraceError('MALFORMED_BODY', `${name} is not a readable Parquet file: ${why}`);
