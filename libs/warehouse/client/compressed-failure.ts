const CHECKSUM_BYTES = 16;
/** A byte for the method, then the lengths of the block with this header, and of what is in it. */
const HEADER_BYTES = 9;
const LZ4 = 0x82;
/** Texts of failures are shorter. */
const TEXT_BYTES_MAX = 64 * 1024;

/**
 * Finds a failure's text in compressed blocks, which the server uses for every answer if they were
 * requested.
 * @returns the bytes as text if they are no such blocks.
 */
export async function failureText(bytes: Buffer): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for (let at = 0; at < bytes.length;) {
    const block = bytes.subarray(at + CHECKSUM_BYTES);
    if (block.length < HEADER_BYTES || block[0] !== LZ4) return bytes.toString('utf8');
    const end = block.readUInt32LE(1);
    size += block.readUInt32LE(HEADER_BYTES - 4);
    if (end < HEADER_BYTES || size > TEXT_BYTES_MAX) return bytes.toString('utf8');
    const { uncompress } = await import('lz4-napi');
    // The library wants the length of what is in it before the data, as it stands here.
    pieces.push(await uncompress(block.subarray(HEADER_BYTES - 4, end)));
    at += CHECKSUM_BYTES + end;
  }
  return Buffer.concat(pieces).toString('utf8');
}
