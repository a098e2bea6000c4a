import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { OpenExchanges } from './open-exchanges.js';

/**
 * Lets every answer hear of its client's end. Node tells it to the one answer that has the
 * connection only: those to requests sent behind it, before it was whole, would wait for ever and
 * keep what they hold.
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
