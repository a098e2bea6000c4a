import type { IncomingMessage } from 'node:http';
import { MillraceError } from '@app/platform';
import { STATEMENT_BYTES_MAX } from '../guard/limits.js';

/** Reads a request's body as a statement. @throws {MillraceError} UPLOAD_TOO_LARGE, MALFORMED_BODY, UNSUPPORTED_ENCODING */
export async function readStatement(request: IncomingMessage): Promise<string> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new MillraceError('UNSUPPORTED_ENCODING', 'send a statement without Content-Encoding');
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > STATEMENT_BYTES_MAX) {
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        `a statement may have at most ${STATEMENT_BYTES_MAX} bytes`,
      );
    }
    pieces.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new MillraceError('MALFORMED_BODY', 'the statement is not UTF-8');
  }
}
