import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import kafkajs from 'kafkajs';
import { steadySocket } from './steady-socket.js';

describe('a server that is not Kafka', () => {
  it.each([
    ['an empty answer', Buffer.from([0, 0, 0, 0])],
    ['one of two bytes', Buffer.from([0, 0, 0, 2, 1, 1])],
  ])('is an error of the connection: %s', async (_, answer) => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.write(answer);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const admin = new kafkajs.Kafka({
      brokers: [`127.0.0.1:${port}`],
      socketFactory: steadySocket,
      retry: { retries: 0 },
      logLevel: kafkajs.logLevel.NOTHING,
    }).admin();
    await expect(admin.connect()).rejects.toThrow('does not answer as Kafka does');
    await admin.disconnect();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
