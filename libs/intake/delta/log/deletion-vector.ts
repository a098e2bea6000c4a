import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { DeletionVector } from './log-actions.js';
import { roaringPositions } from './roaring-positions.js';
import { brokenTable, fetchNeeded, type TableFolder } from '../sources/table-folder.js';
import { fromZ85 } from './z85.js';

/** The length of a UUID in Z85. */
const UUID_LENGTH = 20;
const LENGTH_BYTES = 4;
const CHECKSUM_BYTES = 4;
/** This is larger than the bitmap of any file that an upload may have. */
const VECTOR_BYTES_MAX = 256 * 1024 * 1024;
/**
 * Runs of positions need almost no bytes in a vector, but each position needs 8 bytes on our disk.
 */
const POSITIONS_MAX = 50_000_000;

/**
 * Writes the positions of deleted rows to a file, 8 bytes each, lowest first.
 * @throws {MillraceError} MALFORMED_BODY when the vector is broken, or missing.
 */
export async function writeDeletedPositions(
  folder: TableFolder,
  vector: DeletionVector,
  target: string,
): Promise<void> {
  const { name, bytes } = await bytesOf(folder, vector);
  const handle = await open(target, 'w');
  try {
    let count = 0;
    for (const positions of roaringPositions(bytes, name)) {
      count += positions.length;
      if (count > vector.cardinality) break;
      await handle.write(
        new Uint8Array(positions.buffer, positions.byteOffset, positions.byteLength),
      );
    }
    if (count !== vector.cardinality)
      throw brokenTable(
        `${name} deletes other than ${vector.cardinality} rows, which the log says`,
      );
  } finally {
    await handle.close();
  }
}

async function bytesOf(
  folder: TableFolder,
  vector: DeletionVector,
): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const { storageType, pathOrInlineDv } = vector;
  if (vector.sizeInBytes > VECTOR_BYTES_MAX)
    throw brokenTable(`a deletion vector would have ${vector.sizeInBytes} bytes`);
  if (vector.cardinality > POSITIONS_MAX)
    throw brokenTable(
      `a deletion vector deletes ${vector.cardinality} rows of one file, and ${POSITIONS_MAX} are the most; purge them (REORG TABLE … APPLY (PURGE))`,
    );
  if (storageType === 'i') {
    const name = 'a deletion vector within the log';
    return { name, bytes: fromZ85(pathOrInlineDv, name).subarray(0, vector.sizeInBytes) };
  }
  if (storageType !== 'u')
    throw brokenTable(
      `a deletion vector is stored as ${JSON.stringify(storageType)}, which is not in the table's folder`,
    );
  const path = pathOf(pathOrInlineDv);
  return { name: path, bytes: await fromFile(folder, path, vector) };
}

/**
 * A folder with a random name, if files are spread over folders. It stands before the id in the
 * file's name.
 */
function pathOf(text: string): string {
  const id = fromZ85(text.slice(-UUID_LENGTH), 'the name of a deletion vector').toString('hex');
  const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const prefix = text.slice(0, -UUID_LENGTH);
  if (!/^[A-Za-z0-9]*$/.test(prefix) || uuid.length !== 36)
    throw brokenTable(`a deletion vector has the name ${JSON.stringify(text)}`);
  return `${prefix === '' ? '' : `${prefix}/`}deletion_vector_${uuid}.bin`;
}

async function fromFile(
  folder: TableFolder,
  path: string,
  { offset, sizeInBytes }: DeletionVector,
): Promise<Buffer> {
  const { file, release } = await fetchNeeded(folder, path);
  const handle = await open(file);
  try {
    const length = LENGTH_BYTES + sizeInBytes + CHECKSUM_BYTES;
    const { size } = await handle.stat();
    if ((offset ?? 0) + length > size)
      throw brokenTable(`${path} is not what the log says at byte ${offset ?? 0}`);
    const framed = Buffer.alloc(length);
    const { bytesRead } = await handle.read(framed, 0, framed.length, offset ?? 0);
    const bytes = framed.subarray(LENGTH_BYTES, LENGTH_BYTES + sizeInBytes);
    const whole = bytesRead === framed.length && framed.readInt32BE(0) === sizeInBytes;
    if (!whole || framed.readUInt32BE(LENGTH_BYTES + sizeInBytes) !== crc32(bytes))
      throw brokenTable(`${path} is not what the log says at byte ${offset ?? 0}`);
    return bytes;
  } finally {
    await handle.close();
    await release();
  }
}
