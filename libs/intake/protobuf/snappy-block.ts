import { MillraceError, type AuthenticatedRequest } from '@app/platform';
import type { LineSource } from '../upload/line-uploads.js';
import { malformed } from './malformed.js';

/** Three bytes can stand for 64 that were there before, and none for more. */
const RATIO_MAX = 22;
const LENGTH_BYTES_MAX = 5;

/**
 * Tells how long a block of Snappy says that it is when it is undone.
 * @throws {MillraceError} MALFORMED_BODY when it cannot be; UPLOAD_TOO_LARGE
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

/** Undoes a block whose length was looked at. */
export async function unsnap(block: Buffer): Promise<Buffer> {
  const { uncompress } = await import('snappy');
  try {
    return Buffer.from(await uncompress(block, { asBuffer: true }));
  } catch {
    throw malformed('the body is no whole block of Snappy');
  }
}

/** Protobuf comes as a block of Snappy, whether the request says so or not; where it names another encoding, without. */
export function snappyPacking({ headers }: AuthenticatedRequest): Pick<LineSource, 'packing'> {
  const { 'content-encoding': encoding = 'snappy' } = headers;
  return encoding === 'snappy' ? { packing: { lengthOf: snappyLength, undo: unsnap } } : {};
}
