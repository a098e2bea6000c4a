import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { answerOneAtATime } from './one-at-a-time.js';

describe('requests of one connection', () => {
  let server: FastifyInstance;
  let running = 0;
  let most = 0;
  let answered = 0;
  let socket: Socket;
  beforeEach(async () => {
    [running, most, answered] = [0, 0, 0];
    server = fastify({ forceCloseConnections: true });
    answerOneAtATime(server.server, (refused, failure) =>
      refused.end(`HTTP/1.1 ${failure.status} No\r\nContent-Length: 0\r\n\r\n`),
    );
    server.get('/', async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      answered += 1;
      return 'one';
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined).setEncoding('utf8');
    await once(socket, 'connect');
  });
  afterEach(async () => {
    socket.destroy();
    await server.close();
  });

  const ask = (...headers: string[]): string =>
    ['GET / HTTP/1.1', 'Host: a', ...headers, '\r\n'].join('\r\n');

  /** Sends this, and gives the statuses of all answers until the connection ends. */
  async function statuses(bytes: string): Promise<readonly string[]> {
    let answer = '';
    socket.on('data', (piece: string) => (answer += piece));
    socket.write(bytes);
    await once(socket, 'close');
    return answer.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
  }

  it('are answered one after the other', async () => {
    const sent = ask().repeat(9) + ask('Connection: close');
    expect(await statuses(sent)).toEqual(Array(10).fill('200'));
    expect(most).toBe(1);
  });

  it('are not begun where more wait than may', async () => {
    expect((await statuses(ask().repeat(1000))).at(-1)).toBe('429');
    expect(answered).toBeLessThanOrEqual(1);
  });

  it('that wait do not keep another connection waiting', async () => {
    const other = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    await once(other, 'connect');
    const before = answered;
    socket.write(ask().repeat(10));
    other.write(ask('Connection: close'));
    await once(other.resume(), 'close');
    expect(answered - before).toBeLessThan(8);
  });

  it('with very many headers are refused', async () => {
    const headers = Array.from({ length: 300 }, (_, n) => `x${n}: 1`);
    expect(await statuses(ask(...headers))).toEqual(['431']);
    expect(most).toBe(0);
  });
});
