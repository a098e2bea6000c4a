import type { FastifyReply } from 'fastify';
import type { FailureForm } from '@app/http';
import type { LinesStored } from '../upload/line-uploads.js';

const TEXT = 'text/plain; charset=utf-8';

/** Loki and Prometheus answer with plain texts. */
export const asText: FailureForm = ({ message }) => ({ type: TEXT, body: `${message}\n` });

/**
 * Answers 204. If records were rejected, it answers a 400 that counts them, as both protocols
 * require: their agents do not send the records again after such an answer.
 */
export async function answerPlainly(
  reply: FastifyReply,
  { successful, failed, error = '' }: LinesStored,
): Promise<void> {
  if (failed === 0) await reply.status(204).send();
  else
    await reply
      .status(400)
      .type(TEXT)
      .send(
        `${failed} of ${successful + failed} rejected, and kept in _rejected; the others are stored; do not send them again: ${error}\n`,
      );
}
