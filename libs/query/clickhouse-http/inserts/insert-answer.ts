import type { FastifyReply } from 'fastify';
import type { Inserted } from './inserts.js';
import { SUMMARY, summaryOf } from '../summary.js';

/** ClickHouse's number of rows that cannot be stored. */
const INCORRECT_DATA = 117;

/**
 * 200 and no body, as ClickHouse has it; where rows were rejected a 400 that counts them, since
 * most clients look at nothing else, and do not send again what such an answer is to.
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
