import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HostedOrganization } from './hosted-organization.js';

describe('a hosted organization that asks to be left alone', () => {
  let server: Server;
  let asked: string;
  beforeEach(async () => {
    server = createServer((_request, answer) =>
      answer.writeHead(503, { 'Retry-After': asked }).end('busy'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each([
    ['7', 7],
    ['99999999999', 3600],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ])('%s: for %s seconds', async (header, seconds) => {
    asked = header;
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${port}/`);
    const hosted = new HostedOrganization(
      { url, organization: 'acme', user: 'a', password: 'b' },
      new AbortController().signal,
    );
    await expect(hosted.streams()).rejects.toMatchObject({
      status: 503,
      retryAfterSeconds: seconds,
    });
  });
});
