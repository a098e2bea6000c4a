import { connect, type AddressInfo, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { OpenExchanges } from './open-exchanges.js';
import { endWaitingAnswers } from './waiting-answers.js';

describe('answers that wait behind another of their connection', () => {
  const came = new Map<string, () => void>();
  const ended: string[] = [];
  let allEnded = (): void => undefined;
  let server: FastifyInstance;
  beforeEach(async () => {
    ended.length = 0;
    server = fastify({ forceCloseConnections: true });
    endWaitingAnswers(server, new OpenExchanges(server));
    // Never answers.
    server.get('/waits/:name', (request, { raw }) => {
      const { name } = request.params as { name: string };
      raw.once('close', () => {
        ended.push(`${name} ${raw.destroyed ? 'destroyed' : 'open'}`);
        if (ended.length === 3) allEnded();
      });
      came.get(name)?.();
    });
    server.get('/answers', () => 'whole');
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => server.close());

  const send = (...paths: string[]): Socket => {
    const { port } = server.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    return socket;
  };

  it('hear of the end of their client, each once', async () => {
    const last = new Promise<void>((resolve) => came.set('last', resolve));
    const all = new Promise<void>((resolve) => (allEnded = resolve));
    const socket = send('/answers', '/waits/first', '/waits/second', '/waits/last');
    await last;
    socket.destroy();
    await all;
    await server.close();
    expect(ended.sort()).toEqual(['first destroyed', 'last destroyed', 'second destroyed']);
  }, 5000);
});
