import { pipeline, type Readable } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { AuthenticatedRequest, RequestOrganization } from '@app/platform';
import type { QueryPipeline } from '../query.pipeline.js';
import { negotiateEncoding, negotiateFormat } from './negotiate.js';

/** Fast over small: a result is compressed while it is made. */
const COMPRESSORS = {
  gzip: () => createGzip({ level: 1 }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
};

/**
 * Runs a statement and sends its rows as they come. A client that goes away stops the query; a
 * failure after the first byte cuts the connection, so that a cut answer never looks whole.
 */
export async function streamResult(
  queries: QueryPipeline,
  organization: RequestOrganization,
  sql: string,
  request: AuthenticatedRequest,
  reply: FastifyReply,
): Promise<void> {
  const { format, contentType } = negotiateFormat(request.headers.accept);
  const encoding = negotiateEncoding(header(request.headers['accept-encoding']));
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const rows = await queries.run({ sql, organization, format, signal: gone.signal });
  void reply.type(contentType).header('Vary', 'Accept, Accept-Encoding');
  if (encoding) void reply.header('Content-Encoding', encoding);
  await reply.send(encoding ? compressed(rows, encoding) : rows);
}

function compressed(rows: Readable, encoding: keyof typeof COMPRESSORS): Readable {
  const compressor = COMPRESSORS[encoding]();
  pipeline(rows, compressor, () => undefined);
  return compressor;
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}
