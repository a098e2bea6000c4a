import type { IncomingMessage } from 'node:http';
import { nothingBehind, zlibDecoder } from '@app/http';
import { checkAdmission, MillraceError, type AuthenticatedRequest } from '@app/platform';
import { STATEMENT_BYTES_MAX } from '../../guard/limits.js';

/** Reads a request's body as a statement. @throws {MillraceError} UPLOAD_TOO_LARGE, MALFORMED_BODY, BAD_ENCODING, UNSUPPORTED_ENCODING, FORBIDDEN */
export async function readStatement(asked: AuthenticatedRequest): Promise<string> {
  const { raw: request } = asked;
  const pieces: Buffer[] = [];
  let bytes = 0;
  if (Number(request.headers['content-length'] ?? 0) > STATEMENT_BYTES_MAX) throw tooLarge();
  try {
    for await (const piece of decoded(request)) {
      bytes += piece.length;
      if (bytes > STATEMENT_BYTES_MAX) throw tooLarge();
      pieces.push(piece);
    }
  } catch (error) {
    if (!isEncodingError(error)) throw error;
    const named = request.headers['content-encoding'];
    throw new MillraceError('BAD_ENCODING', `the body is not ${named}`, { cause: error });
  }
  checkAdmission(asked);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new MillraceError('MALFORMED_BODY', 'the statement is not UTF-8');
  }
}

function tooLarge(): MillraceError {
  return new MillraceError(
    'UPLOAD_TOO_LARGE',
    `a statement may have at most ${STATEMENT_BYTES_MAX} bytes`,
  );
}

/** The request itself stays open. The rest of it is read and discarded together with the answer. */
function decoded(request: IncomingMessage): AsyncIterable<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return request.iterator({ destroyOnReturn: false });
  const decoder = zlibDecoder(encoding);
  if (!decoder) {
    throw new MillraceError(
      'UNSUPPORTED_ENCODING',
      'send a statement as it is, or with Content-Encoding: gzip, deflate or br',
    );
  }
  request.once('error', (error) => decoder.destroy(error));
  request.once('close', () => {
    if (!request.complete) decoder.destroy(new Error('the client has left'));
  });
  const whole = nothingBehind(request, decoder);
  decoder.on('error', (error) => whole.destroy(error));
  whole.on('close', () => decoder.destroy());
  return request.pipe(decoder).pipe(whole);
}

/** zlib's own error codes begin like this. */
function isEncodingError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(?:Z_|ERR_BROTLI_|ERR__ERROR_|ERR_ZLIB)/.test(code);
}
