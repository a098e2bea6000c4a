import type { FastifyReply } from 'fastify';

/** Aborts when the client goes away. */
export function abortedWith(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
