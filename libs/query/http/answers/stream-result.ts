import { randomUUID } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { AuthenticatedRequest, RequestOrganization } from '@app/platform';
import { WholeResult, type AnswerFormat, type QueryProgress } from '@app/warehouse';
import type { Values } from '../../guard/bind-values.js';
import type { TimeRange } from '../../plan/time-range.js';
import type { QueryPipeline } from '../../query.pipeline.js';
import { whileAdmitted } from './aborted-with.js';
import { negotiateEncoding, negotiateFormat, type ContentEncoding } from './negotiate.js';
import { sendRows } from './send-rows.js';
import { createZstd } from './zstd.js';

/**
 * The encodings, the best first. Each is fast rather than small, because a result is compressed
 * while it is made.
 */
const COMPRESSORS: Readonly<Record<ContentEncoding, () => NodeJS.ReadWriteStream>> = {
  zstd: createZstd,
  gzip: () => createGzip({ level: 1 }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
};
const OFFERED = Object.keys(COMPRESSORS) as readonly ContentEncoding[];

/** Names the request headers on which an answer's form depends. */
export function varyByForm(reply: FastifyReply): void {
  const said = reply.getHeader('Vary');
  const form = 'Accept, Accept-Encoding';
  void reply.header('Vary', said === undefined ? form : `${String(said)}, ${form}`);
}

const STATISTICS = 'X-Query-Statistics';

/**
 * Runs a statement and sends its rows as they come. A client that goes away stops the query; a
 * failure after the first byte cuts the connection, so that a cut answer never looks whole.
 * `X-Query-Id` names the query; a client that takes trailers gets its statistics in one.
 */
export async function streamResult(
  queries: Pick<QueryPipeline, 'run'>,
  organization: RequestOrganization,
  sql: string,
  request: AuthenticatedRequest,
  reply: FastifyReply,
  values: Values = {},
): Promise<void> {
  await streamAs(answerForm(request), queries, organization, sql, request, reply, values);
}

/**
 * Reads from the request the form in which the client wants the answer.
 * @throws {MillraceError} NOT_ACCEPTABLE
 */
export const answerForm = (request: AuthenticatedRequest): AnswerForm => ({
  ...negotiateFormat(request.headers.accept),
  encoding: acceptedEncoding(request),
});

/** The form of an answer. */
interface AnswerForm {
  readonly format: AnswerFormat;
  readonly contentType: string;
  readonly encoding: ContentEncoding | undefined;
  /** The range of the rows' times; undefined: all. */
  readonly range?: TimeRange | undefined;
  /** The engine's settings for this statement. */
  readonly writing?: Readonly<Record<string, string>>;
  /**
   * Is called with the number of read rows and bytes, before the first byte of the answer. The
   * answer is held back until it is complete.
   */
  readonly onRead?: ((progress: QueryProgress) => void) | undefined;
}

export const acceptedEncoding = (
  { headers }: AuthenticatedRequest,
  offered = OFFERED,
): ContentEncoding | undefined => negotiateEncoding(header(headers['accept-encoding']), offered);

/** Does the same in a form that was chosen before. */
export async function streamAs(
  { format, contentType, encoding, range, writing, onRead }: AnswerForm,
  queries: Pick<QueryPipeline, 'run'>,
  organization: RequestOrganization,
  sql: string,
  request: AuthenticatedRequest,
  reply: FastifyReply,
  values: Values,
): Promise<void> {
  const statistics = takesTrailers(request) ? new Statistics() : undefined;
  const isTold = statistics !== undefined || onRead !== undefined;
  const onProgress = (progress: QueryProgress): void => {
    statistics?.update(progress);
    onRead?.(progress);
  };
  const id = randomUUID();
  void reply.header('X-Query-Id', id);
  const rows = await queries.run({
    sql,
    values,
    organization,
    format,
    range,
    ...(writing && { writing }),
    signal: whileAdmitted(reply),
    id,
    ...(isTold && { onProgress }),
  });
  void reply.type(contentType);
  varyByForm(reply);
  if (rows instanceof WholeResult && !encoding && !statistics) {
    void reply.send(rows.bytes);
    return;
  }
  if (statistics) {
    rows.on('data', (chunk: Buffer) => statistics.count(chunk.length));
    rows.pause();
  }
  const trailers = statistics && { name: STATISTICS, value: () => statistics.toString() };
  if (encoding) void reply.header('Content-Encoding', encoding);
  const sent = encoding ? compressed(rows, COMPRESSORS[encoding]()) : rows;
  try {
    await sendRows(sent, reply, trailers);
  } catch (error) {
    // Nothing was sent yet, so the error is answered as usual.
    void reply.removeHeader('Content-Encoding');
    throw error;
  }
}

class Statistics {
  private readonly startedAt = performance.now();
  private progress: QueryProgress = { rowsRead: 0, bytesRead: 0 };
  private resultBytes = 0;

  update(progress: QueryProgress): void {
    this.progress = progress;
  }

  count(bytes: number): void {
    this.resultBytes += bytes;
  }

  /**
   * Gives the engine's last summary. Rows that it read after the last row of the answer may be
   * missing.
   */
  toString(): string {
    return JSON.stringify({
      elapsed_ms: Math.round(performance.now() - this.startedAt),
      rows_read: this.progress.rowsRead,
      bytes_read: this.progress.bytesRead,
      result_bytes: this.resultBytes,
    });
  }
}

function takesTrailers(request: AuthenticatedRequest): boolean {
  return /(?:^|[\s,])trailers(?:$|[\s,;])/i.test(header(request.headers.te) ?? '');
}

function compressed(rows: Readable, compressor: NodeJS.ReadWriteStream): NodeJS.ReadWriteStream {
  pipeline(rows, compressor, () => undefined);
  return compressor;
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}
