import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { makeCertificates } from '../../../test/server/certificates.js';
import { boundConnections, connectionsMax } from './bounded-connections.js';

const MOST = 5;

/** The first bytes of a client of TLS: a record that has more to come. */
const HALF_A_HELLO = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]);

describe('bounded connections', () => {
  let server: FastifyInstance;
  let told = 0;
  let release: () => void;
  const arrivals = new EventEmitter();
  let sockets: Socket[] = [];
  beforeEach(async () => {
    told = 0;
    server = fastify({ forceCloseConnections: true });
    boundConnections(server, MOST, () => (told += 1));
    const released = new Promise<void>((resolve) => (release = resolve));
    server.get('/fast', () => 'fast');
    server.addHook('onRequest', (request, _reply, done) => {
      const { org } = request.query as { org?: string };
      if (org !== undefined) Object.assign(request, { organization: { share: org } });
      done();
    });
    server.get('/slow', async () => {
      arrivals.emit('slow');
      await released;
      return 'slow';
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await server.close();
  });

  const opened = async (at: { readonly server: Server } = server): Promise<Socket> => {
    const { port } = at.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const ask = (socket: Socket, path: string): Promise<string> => {
    const answer = new Promise<string>((resolve) => {
      socket.once('data', (piece: string) => resolve(piece));
      socket.once('close', () => resolve('closed'));
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return answer;
  };

  it('end what sends nothing, or half a request, for one that asks', async () => {
    const arrived = once(arrivals, 'slow');
    const slow = ask(await opened(), '/slow');
    await arrived;
    const idle: Promise<unknown>[] = [];
    for (let n = 0; n < 4 * MOST; n += 1) {
      const socket = await opened();
      if (n % 2 === 0) socket.write('GET /fast HTTP/1.1\r\nX-Half: ');
      socket.resume();
      idle.push(once(socket, 'close'));
    }
    await Promise.all(idle.slice(0, 3 * MOST));
    expect(await ask(await opened(), '/fast')).toMatch(/fast$/);
    release();
    expect(await slow).toMatch(/slow$/);
    expect(told).toBe(1);
  });

  const slowly = async (path = '/slow'): Promise<{ readonly answer: Promise<string> }> => {
    const arrived = once(arrivals, 'slow');
    const answer = ask(await opened(), path);
    await arrived;
    return { answer };
  };

  it('of who has not logged in end first where nearly all wait for an answer', async () => {
    const own = [await slowly('/slow?org=a'), await slowly('/slow?org=b')];
    const strangers = [];
    for (let n = 0; n < MOST; n += 1) strangers.push(await slowly());
    expect(await ask(await opened(), '/fast')).toMatch(/fast$/);
    release();
    for (const { answer } of own) expect(await answer).toMatch(/slow$/);
    expect(await strangers[0]?.answer).toBe('closed');
    expect(await strangers.at(-1)?.answer).toMatch(/slow$/);
  });

  it('of one organization end, its last ones, when it has more than others', async () => {
    const neighbour = await slowly('/slow?org=b');
    const many = [];
    for (let n = 0; n < MOST - 1; n += 1) many.push(await slowly('/slow?org=a'));
    expect(await ask(await opened(), '/fast?org=b')).toMatch(/fast$/);
    expect(await many.at(-1)?.answer).toBe('closed');
    release();
    expect(await neighbour.answer).toMatch(/slow$/);
    expect(await many[0]?.answer).toMatch(/slow$/);
  });

  it('end what begins a handshake of TLS and does not go on', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-bounded-'));
    const { server: own } = makeCertificates(directory);
    const [cert, key] = [readFileSync(own.certificate), readFileSync(own.key)];
    const secure = fastify({ https: { cert, key }, forceCloseConnections: true });
    boundConnections(secure, MOST, () => (told += 1));
    await secure.listen({ port: 0, host: '127.0.0.1' });
    try {
      const idle: Promise<unknown>[] = [];
      for (let n = 0; n < 4 * MOST; n += 1) {
        const socket = await opened(secure);
        if (n % 2 === 0) socket.write(HALF_A_HELLO);
        idle.push(once(socket.resume(), 'close'));
      }
      await Promise.all(idle.slice(0, 3 * MOST));
      expect(told).toBe(1);
    } finally {
      for (const socket of sockets) socket.destroy();
      await secure.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('leave files for other things', () => {
    expect(connectionsMax()).toBeGreaterThan(100);
    expect(connectionsMax()).toBeLessThanOrEqual(16_384);
  });
});
