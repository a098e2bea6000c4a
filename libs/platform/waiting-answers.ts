import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets every answer hear of its client's end. Node tells it to the one answer that has the
 * connection only: those to requests sent behind it, before it was whole, would wait for ever and
 * keep what they hold.
 */
export function endWaitingAnswers(fastify: FastifyInstance): void {
  const open = new WeakMap<Socket, Set<ServerResponse>>();
  const ofConnection = (socket: Socket): Set<ServerResponse> => {
    const known = open.get(socket);
    if (known) return known;
    const answers = new Set<ServerResponse>();
    open.set(socket, answers);
    socket.once('close', () => answers.forEach(endIfWaiting));
    return answers;
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const answers = ofConnection(request.raw.socket).add(reply.raw);
    reply.raw.once('close', () => answers.delete(reply.raw));
    done();
  });
}

function endIfWaiting(answer: ServerResponse): void {
  if (answer.socket || answer.writableFinished) return;
  answer.destroy();
  answer.emit('close');
}
