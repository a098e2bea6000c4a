import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Exchange, OpenExchanges } from './open-exchanges.js';

/**
 * Ends connections on which we wait for a silent client: it sends no request, does not send the
 * rest of its body, or does not take its answer. Node would end every connection without traffic,
 * even if its client waits for us.
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
    // The other sockets wait for the event.
    const [oldest] = exchanges.of(socket);
    if (!oldest || leavesItsAnswer(oldest)) socket.destroy();
    else if (stopsItsBody(oldest)) refuse(socket);
    // The timer fires once, and has to be set again.
    else socket.setTimeout(idleMs);
  });
}

const leavesItsAnswer = ({ response }: Exchange): boolean =>
  response.headersSent && response.writableLength > 0;

/** Bytes that have arrived and were not read yet wait for us, not for the client. */
const stopsItsBody = ({ request, response }: Exchange): boolean =>
  !request.complete && request.readableLength === 0 && !response.headersSent;
