import { randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { AuthenticatedRequest } from '@app/platform';
import type { QueryPipeline, QueryQuestion } from '../../query.pipeline.js';
import type { TimeRange } from '../../plan/time-range.js';
import { whileAdmitted } from './aborted-with.js';
import { ProgressLines } from './progress-lines.js';
import { sendRows } from './send-rows.js';
import { acceptedEncoding, varyByForm } from './stream-result.js';

/** Rows as NDJSON, with lines of progress between them. */
const PROGRESS_TYPE = 'application/vnd.millrace.progress+ndjson';

/** Before this time, no client needs to see progress. */
const PATIENCE_MS = 150;

/** A client that can read this form asks for it by name; `*` does not include it. */
export const asksForProgress = ({ headers }: AuthenticatedRequest): boolean =>
  (headers.accept ?? '').split(/[,;]/).some((each) => each.trim().toLowerCase() === PROGRESS_TYPE);

interface Watched extends Omit<QueryQuestion, 'signal'> {
  readonly range: TimeRange | undefined;
}

/**
 * Runs a statement for a person who watches it, because browsers do not read trailers. During the
 * work, lines report the progress, and a failure after the first line is also a line.
 */
export async function streamProgress(
  queries: Pick<QueryPipeline, 'run'>,
  asked: Watched,
  request: AuthenticatedRequest,
  reply: FastifyReply,
): Promise<void> {
  const begunAt = performance.now();
  const id = randomUUID();
  const isPacked = acceptedEncoding(request, ['gzip']) === 'gzip';
  const packer = isPacked ? createGzip({ level: 1 }) : undefined;
  const lines = new ProgressLines(() => void packer?.flush());
  void reply.header('X-Query-Id', id).type(`${PROGRESS_TYPE}; charset=utf-8`);
  varyByForm(reply);
  if (packer) void reply.header('Content-Encoding', 'gzip');
  const sent = packer ? pipeline(lines, packer, () => undefined) : lines;
  const sending = sendRows(sent, reply);
  queries
    .run({
      ...asked,
      id,
      format: 'ndjson',
      signal: whileAdmitted(reply),
      onReading: (read) => lines.progress(read, performance.now() - begunAt > PATIENCE_MS),
    })
    .then(
      (rows) => {
        rows.once('error', (error) => lines.fail(error));
        if (lines.destroyed) rows.destroy();
        else lines.once('close', () => rows.destroy());
        rows.pipe(lines);
      },
      (error: unknown) => lines.fail(error),
    );
  try {
    await sending;
  } catch (error) {
    // Nothing was sent yet, so the error is answered as usual.
    for (const name of ['Content-Encoding', 'Content-Type']) void reply.removeHeader(name);
    throw error;
  }
}
