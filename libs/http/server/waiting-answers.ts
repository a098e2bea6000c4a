import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { OpenExchanges } from './open-exchanges.js';

/**
 * Tells every answer when its client has left. Node tells only the answer that currently has the
 * connection. The answers to further requests on the same connection would wait for ever, and keep
 * their resources.
 */
export function endWaitingAnswers(fastify: FastifyInstance, exchanges: OpenExchanges): void {
  fastify.server.on('connection', (socket: Socket) => {
    socket.once('close', () => {
      for (const { response } of exchanges.of(socket)) endIfWaiting(response);
    });
  });
}

function endIfWaiting(answer: ServerResponse): void {
  if (answer.socket || answer.writableFinished) return;
  answer.destroy();
  answer.emit('close');
}
