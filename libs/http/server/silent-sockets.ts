import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Exchange, OpenExchanges } from './open-exchanges.js';

/**
 * Ends connections on which a client is silent while it is waited for: it has nothing in work, or
 * does not send the rest of its body, or does not take its answer. Node would end any connection
 * without traffic, also one whose client waits for us.
 * @param idleMs how long it may be silent
 * @param refuse answers a request whose body has stopped, and ends its connection
 */
export function endSilentSockets(
  fastify: FastifyInstance,
  exchanges: OpenExchanges,
  idleMs: number,
  refuse: (socket: Socket) => void,
): void {
  fastify.server.setTimeout(idleMs, (socket: Socket) => {
    // The others wait for it.
    const [oldest] = exchanges.of(socket);
    if (!oldest || leavesItsAnswer(oldest)) socket.destroy();
    else if (stopsItsBody(oldest)) refuse(socket);
    // It is told once only, unless asked again.
    else socket.setTimeout(idleMs);
  });
}

const leavesItsAnswer = ({ response }: Exchange): boolean =>
  response.headersSent && response.writableLength > 0;

/** Bytes that have come and were not read wait for us, not for the client. */
const stopsItsBody = ({ request, response }: Exchange): boolean =>
  !request.complete && request.readableLength === 0 && !response.headersSent;
