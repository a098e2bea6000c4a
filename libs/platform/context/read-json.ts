import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { z } from 'zod';
import { MillraceError } from '../errors/errors.js';
import { checkAdmission, type AuthenticatedRequest } from './request.js';

const BYTES_MAX = 1024 * 1024;

/**
 * Reads a request's body as JSON of a schema's shape.
 * @throws {MillraceError} EMPTY_BODY, MALFORMED_BODY, UPLOAD_TOO_LARGE, UNSUPPORTED_ENCODING,
 *   BAD_ENCODING, FORBIDDEN
 * @throws {z.ZodError} when it is JSON of another shape
 */
export async function readJson<T>(request: AuthenticatedRequest, schema: z.ZodType<T>): Promise<T> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new MillraceError(
      'UNSUPPORTED_ENCODING',
      'send this body as it is, or with Content-Encoding: gzip',
    );
  }
  const text = await readText(request.raw, encoding === 'gzip');
  checkAdmission(request);
  if (text.trim() === '')
    throw new MillraceError('EMPTY_BODY', 'there is no body; send a JSON object');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the body, which may hold a password.
    throw new MillraceError('MALFORMED_BODY', 'the body is not JSON');
  }
  if (request.headers['idempotency-key'] !== undefined) request.keyedBody = text;
  return schema.parse(value);
}

async function readText(request: IncomingMessage, isPacked: boolean): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  if (Number(request.headers['content-length'] ?? 0) > BYTES_MAX) throw tooLarge();
  // The rest of the body is read and thrown away with the answer, because the request stays open
  // for it.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > BYTES_MAX) throw tooLarge();
    pieces.push(piece);
  }
  const sent = Buffer.concat(pieces);
  const body = isPacked ? await unpacked(sent) : sent;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new MillraceError('MALFORMED_BODY', 'the body is not UTF-8');
  }
}

async function unpacked(body: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(body, { maxOutputLength: BYTES_MAX });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new MillraceError('BAD_ENCODING', 'the body is not whole and valid gzip', {
      cause: error,
    });
  }
}

function tooLarge(): MillraceError {
  return new MillraceError('UPLOAD_TOO_LARGE', `the body may have at most ${BYTES_MAX} bytes`);
}
