import { MillraceError, type AuthenticatedRequest } from '@app/platform';
import type { LineSource } from '../upload/line-uploads.js';
import { malformed } from './malformed.js';

/** In Snappy, three bytes can stand for 64 earlier bytes, and no more. */
const RATIO_MAX = 22;
const LENGTH_BYTES_MAX = 5;

/**
 * The uncompressed length that a block of Snappy declares.
 * @throws {MillraceError} MALFORMED_BODY when it cannot be correct; UPLOAD_TOO_LARGE
 */
export function snappyLength(block: Buffer, maxBytes: number): number {
  let length = 0;
  for (let at = 0; at < LENGTH_BYTES_MAX; at += 1) {
    const byte = block[at];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte >= 0x80) continue;
    if (length > block.length * RATIO_MAX) break;
    if (length <= maxBytes) return length;
    throw new MillraceError(
      'UPLOAD_TOO_LARGE',
      `this request may have at most ${maxBytes} bytes when decoded; split it`,
    );
  }
  throw malformed('the body is no block of Snappy');
}

/** Decompresses a block whose length was checked. */
export async function unsnap(block: Buffer): Promise<Buffer> {
  const { uncompress } = await import('snappy');
  try {
    return Buffer.from(await uncompress(block, { asBuffer: true }));
  } catch {
    throw malformed('the body is no whole block of Snappy');
  }
}

/**
 * Protobuf bodies come as a block of Snappy, whether a header says so or not, unless the request
 * names another encoding.
 */
export function snappyPacking({ headers }: AuthenticatedRequest): Pick<LineSource, 'packing'> {
  const { 'content-encoding': encoding = 'snappy' } = headers;
  return encoding === 'snappy' ? { packing: { lengthOf: snappyLength, undo: unsnap } } : {};
}
