import type { FastifyReply } from 'fastify';
import type { Inserted } from './inserts.js';
import { SUMMARY, summaryOf } from '../summary.js';

/** ClickHouse's error number for rows that cannot be stored. */
const INCORRECT_DATA = 117;

/**
 * Answers 200 without a body, as ClickHouse does. If rows were rejected, it answers a 400 that
 * counts them, because most clients look at nothing else, and do not send the rows again after such
 * an answer.
 */
export async function answerInsert(
  reply: FastifyReply,
  requestId: string,
  { successful, failed, error = '' }: Inserted,
): Promise<void> {
  const counts = {
    read_rows: successful + failed,
    written_rows: successful,
    result_rows: successful,
  };
  void reply
    .type('text/plain; charset=UTF-8')
    .headers({ [SUMMARY]: summaryOf(counts), 'X-ClickHouse-Query-Id': requestId });
  if (failed === 0) {
    await reply.send('');
    return;
  }
  const why = `${failed} of ${successful + failed} rows rejected, and kept in _rejected; the others are stored; do not send them again: ${error}`;
  await reply
    .status(400)
    .header('X-ClickHouse-Exception-Code', String(INCORRECT_DATA))
    .send(`Code: ${INCORRECT_DATA}. DB::Exception: ${why}. (INCORRECT_DATA)\n`);
}
