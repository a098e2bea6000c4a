import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { MillraceError } from '@app/platform';
import { STATEMENT_BYTES_MAX } from '../guard/limits.js';

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads a request's body as a statement. @throws {MillraceError} UPLOAD_TOO_LARGE, MALFORMED_BODY, BAD_ENCODING, UNSUPPORTED_ENCODING */
export async function readStatement(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of decoded(request)) {
      bytes += piece.length;
      if (bytes > STATEMENT_BYTES_MAX) {
        throw new MillraceError(
          'UPLOAD_TOO_LARGE',
          `a statement may have at most ${STATEMENT_BYTES_MAX} bytes`,
        );
      }
      pieces.push(piece);
    }
  } catch (error) {
    if (!isEncodingError(error)) throw error;
    const named = request.headers['content-encoding'];
    throw new MillraceError('BAD_ENCODING', `the body is not ${named}`, { cause: error });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new MillraceError('MALFORMED_BODY', 'the statement is not UTF-8');
  }
}

function decoded(request: IncomingMessage): AsyncIterable<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return request;
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined;
  if (!decoder) {
    throw new MillraceError(
      'UNSUPPORTED_ENCODING',
      'send a statement as it is, or with Content-Encoding: gzip, deflate or br',
    );
  }
  return pipeline(request, decoder, () => undefined);
}

/** zlib's own codes begin so. */
function isEncodingError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(?:Z_|ERR_BROTLI_|ERR__ERROR_|ERR_ZLIB)/.test(code);
}
