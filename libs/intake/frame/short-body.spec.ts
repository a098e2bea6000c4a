import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isShort, shortBody } from './short-body.js';

const LIMITS = { idleSeconds: 1, minBytesPerSecond: 1 };

describe('a short body', () => {
  let server: Server;
  let taken: Promise<string>;
  beforeAll(async () => {
    server = createServer((body, response) => {
      taken = text(shortBody(body, LIMITS as Parameters<typeof shortBody>[1]));
      taken.then(
        (read) => response.end(read),
        () => response.writeHead(408, { connection: 'close' }).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  function send(bytes: number, pieces: readonly string[], end = true) {
    const { port } = server.address() as AddressInfo;
    const sent = request({ port, method: 'POST', headers: { 'content-length': String(bytes) } });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject);
    });
    for (const piece of pieces) sent.write(piece);
    if (end) sent.end();
    return { sent, answered };
  }

  it.each([[['{"a":1}']], [['{"a"', ':', '1}\n', 'x'.repeat(50_000)]]])(
    'is there whole',
    async (pieces) => {
      const whole = pieces.join('');
      const { answered } = send(whole.length, pieces);
      expect((await text(await answered)) === whole).toBe(true);
    },
  );

  it('is a failure when its connection ends before it does', async () => {
    const begun = new Promise<void>((resolve) => server.once('request', () => resolve()));
    const { sent, answered } = send(10, ['12345'], false);
    answered.catch(() => undefined);
    await begun;
    sent.destroy();
    await expect(taken).rejects.toMatchObject({ kind: 'BODY_CUT_OFF' });
  });

  it('is given up when nothing comes any more', async () => {
    const { sent, answered } = send(10, ['12345'], false);
    expect((await answered).statusCode).toBe(408);
    await expect(taken).rejects.toMatchObject({ kind: 'UPLOAD_TIMEOUT' });
    sent.destroy();
  });

  it.each([
    [{ 'content-length': '1' }, true],
    [{ 'content-length': '65536', 'content-encoding': 'identity' }, true],
    [{ 'content-length': '65537' }, false],
    [{ 'content-length': '0' }, false],
    [{}, false],
    [{ 'content-length': '1', 'content-encoding': 'gzip' }, false],
  ])('is one that says so, and is not encoded: %j', (headers, wanted) => {
    expect(isShort({ headers } as IncomingMessage)).toBe(wanted);
  });
});
