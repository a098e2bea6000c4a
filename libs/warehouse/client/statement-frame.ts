const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** Four bytes of size follow, and no window: the frame is one segment. */
const DESCRIPTOR = 0xa0;
const BLOCK_MAX = 128 * 1024;
const BLOCK_HEADER_BYTES = 3;

/**
 * A statement as a zstd frame that stores its bytes as they are. A body compressed with zstd may be
 * several frames, so the statement can come before data that is compressed already.
 */
export function statementFrame(statement: string): Buffer {
  const bytes = Buffer.from(statement);
  const header = Buffer.from([...MAGIC, DESCRIPTOR, 0, 0, 0, 0]);
  header.writeUInt32LE(bytes.length, MAGIC.length + 1);
  const buffers = [header];
  for (let at = 0; at === 0 || at < bytes.length; at += BLOCK_MAX) {
    const block = bytes.subarray(at, at + BLOCK_MAX);
    const isLast = at + BLOCK_MAX >= bytes.length;
    const before = Buffer.alloc(BLOCK_HEADER_BYTES);
    before.writeUIntLE(block.length * 8 + (isLast ? 1 : 0), 0, BLOCK_HEADER_BYTES);
    buffers.push(before, block);
  }
  return Buffer.concat(buffers);
}
