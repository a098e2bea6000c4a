import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { OpenExchanges } from './open-exchanges.js';
import { endSilentSockets } from './silent-sockets.js';

describe('silent sockets', () => {
  let server: FastifyInstance;
  beforeEach(async () => {
    server = fastify({ forceCloseConnections: true });
    endSilentSockets(server, new OpenExchanges(server), 50, (socket) => socket.destroy());
    server.get('/fast', () => 'fast');
    // Answers only when the client has been silent for too long.
    server.get('/slow', async () => {
      await once(server.server, 'timeout');
      return 'slow';
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => server.close());

  /** All that comes until the connection ends. */
  const exchange = async (...paths: string[]): Promise<string> => {
    const { port } = server.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (piece: string) => (answer += piece));
    const requests = paths.map((path, n) => {
      const connection = n === paths.length - 1 ? 'close' : 'keep-alive';
      return `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n\r\n`;
    });
    socket.write(requests.join(''));
    await once(socket, 'close');
    return answer;
  };

  it.each([[['/slow']], [['/fast', '/slow']], [['/slow', '/fast']], [['/slow', '/slow']]])(
    'are not ended while an answer to %j is in work',
    async (paths) => {
      const answers = (await exchange(...paths)).match(/(?:fast|slow)(?=HTTP|$)/g);
      expect(answers).toEqual(paths.map((path) => path.slice(1)));
    },
  );
});
