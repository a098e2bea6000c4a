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
      const ofSocket = this.open.get(request.socket) ?? new Set();
      this.open.set(request.socket, ofSocket.add(exchange));
      response.once('close', () => ofSocket.delete(exchange));
      done();
    });
  }

  of(socket: Socket): Iterable<Exchange> {
    return this.open.get(socket) ?? [];
  }
}
