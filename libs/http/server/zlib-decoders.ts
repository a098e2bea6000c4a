import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, type Zlib } from 'node:zlib';

const DECODERS: Readonly<Record<string, () => Transform & Zlib>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Makes the decoder of a Content-Encoding that zlib supports. The decoder ignores bytes behind the
 * end of the compressed data; `nothingBehind` refuses those.
 * @param encoding in lower case
 * @returns undefined for another encoding
 */
export const zlibDecoder = (encoding: string): (Transform & Zlib) | undefined =>
  Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined;
