import type { FastifyReply } from 'fastify';
import { MillraceError, type AuthenticatedRequest } from '@app/platform';

const LOOK_MS = 1000;

/** Aborts when the client goes away before it has its answer. */
export function abortedWith(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  atClose(reply, (isWhole) => {
    if (!isWhole) gone.abort();
  });
  return gone.signal;
}

/**
 * Aborts when the client goes away, and within a second when its right to the answer ends: a query
 * may wait for its turn, or its client read slowly, long after somebody was removed. An answer that
 * has begun is cut off, so that it does not look whole.
 */
export function whileAdmitted(reply: FastifyReply): AbortSignal {
  const { isAdmitted } = reply.request as AuthenticatedRequest;
  if (!isAdmitted) return abortedWith(reply);
  const over = new AbortController();
  const look = (): void => {
    if (isAdmitted()) return;
    // The work ends first, so that its failure is answered; a client that does not take that is left.
    if (over.signal.aborted) reply.raw.destroy();
    else over.abort(new MillraceError('FORBIDDEN', ENDED));
  };
  const timer = setInterval(look, LOOK_MS).unref();
  atClose(reply, (isWhole) => {
    clearInterval(timer);
    if (!isWhole) over.abort();
  });
  return over.signal;
}

const ENDED = 'your right to this answer ended before it was complete';

function atClose({ raw }: FastifyReply, then: (isWhole: boolean) => void): void {
  if (raw.destroyed) then(false);
  else raw.once('close', () => then(raw.writableFinished));
}
