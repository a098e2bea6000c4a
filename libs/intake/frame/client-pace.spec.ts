import { jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { watchPace } from './client-pace.js';

describe('the pace of a client', () => {
  const limits = {
    idleSeconds: 5,
    minBytesPerSecond: 0,
    maxBytes: 1e6,
    maxRecordBytes: 1e6,
    minFreeDiskBytes: 0,
    requestsPerSecond: 0,
    bytesPerSecond: 0,
  };

  it('is watched instead of the socket’s own timer until the last of its bodies has ended', async () => {
    const server = createServer().listen(0, '127.0.0.1').setTimeout(60_000);
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      const bodies: IncomingMessage[] = [];
      const both = new Promise<void>((resolve) => {
        server.on('request', (request) => {
          watchPace(request, limits, () => undefined);
          if (bodies.push(request) === 2) resolve();
        });
      });
      const upload = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n[]';
      client.write(upload + upload);
      await both;
      const timers: unknown[] = [];
      for (const body of bodies) {
        timers.push(body.socket.timeout);
        await once(body.resume(), 'close');
      }
      expect([...timers, bodies[0]?.socket.timeout]).toEqual([0, 0, 60_000]);
    } finally {
      client.destroy();
      server.close();
    }
  });

  it('is not watched when the client left before its body was read', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const timers = jest.spyOn(globalThis, 'setInterval');
    try {
      client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n[');
      const [body] = (await once(server, 'request')) as [IncomingMessage];
      // A body that is cut off fails before it closes.
      body.on('error', () => undefined);
      const left = new Promise((resolve) => body.once('close', resolve));
      client.destroy();
      await left;
      const failures: unknown[] = [];
      watchPace(body, limits, (failure) => failures.push(failure));
      expect(failures).toEqual([expect.objectContaining({ kind: 'BODY_CUT_OFF' })]);
      expect(timers).not.toHaveBeenCalled();
    } finally {
      timers.mockRestore();
      client.destroy();
      server.close();
    }
  });
});
