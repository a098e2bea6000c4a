import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Ends connections on which a client is silent while it is waited for: it has nothing in work, or
 * does not send the rest of its body, or does not take its answer. Node would end any connection
 * without traffic, also one whose client waits for us.
 * @param idleMs how long it may be silent
 * @param refuse answers a request whose body has stopped, and ends its connection
 */
export function endSilentSockets(
  fastify: FastifyInstance,
  idleMs: number,
  refuse: (socket: Socket) => void,
): void {
  /** In order: a client may send its next request before it has the answer to its last. */
  const exchanges = new WeakMap<Socket, Set<Exchange>>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const exchange = { request: request.raw, response: reply.raw };
    const ofSocket = exchanges.get(socket) ?? new Set();
    exchanges.set(socket, ofSocket.add(exchange));
    reply.raw.once('close', () => ofSocket.delete(exchange));
    done();
  });
  fastify.server.setTimeout(idleMs, (socket: Socket) => {
    // The others wait for it.
    const [oldest] = exchanges.get(socket) ?? [];
    if (!oldest || leavesItsAnswer(oldest)) socket.destroy();
    else if (stopsItsBody(oldest)) refuse(socket);
    // It is told once only, unless asked again.
    else socket.setTimeout(idleMs);
  });
}

const leavesItsAnswer = ({ response }: Exchange): boolean =>
  response.headersSent && response.writableLength > 0;

/** What has come and was not read waits for us, not for the client. */
const stopsItsBody = ({ request, response }: Exchange): boolean =>
  !request.complete && request.readableLength === 0 && !response.headersSent;
