import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * The requests of each connection that have no complete answer yet, in order. A client may send its
 * next request before it has the last answer.
 */
export class OpenExchanges {
  private readonly open = new WeakMap<Socket, Set<Exchange>>();

  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRequest', ({ raw: request }, { raw: response }, done) => {
      const exchange = { request, response };
      const ofSocket = this.begun(request.socket).add(exchange);
      // The event comes once, and to keep a listener costs less than to take it away.
      response.on('close', () => ofSocket.delete(exchange));
      done();
    });
  }

  private begun(socket: Socket): Set<Exchange> {
    const known = this.open.get(socket);
    if (known) return known;
    const begun = new Set<Exchange>();
    this.open.set(socket, begun);
    return begun;
  }

  of(socket: Socket): Iterable<Exchange> {
    return this.open.get(socket) ?? [];
  }
}
