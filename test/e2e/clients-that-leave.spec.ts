import { connect } from 'node:net';
import { once } from 'node:events';
import { ROOT, startServer } from '../server/start-server.js';
import { until } from '../server/until.js';

const PATHS = [
  ...['/api/default/sql', '/api/default/_search', '/api/default/clickhouse'],
  ...['/api/default/logs/_json', '/api/default/users'],
];

describe('a client that leaves in the middle of its body', () => {
  it('is no failure of the server', async () => {
    const server = await startServer({ variables: { MILLRACE_LOG_LEVEL: 'debug' } });
    try {
      const { hostname, port } = new URL(server.url);
      const credentials = Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64');
      for (const path of PATHS) {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        // It is waited for after this.
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${credentials}\r\n` +
            'Expect: 100-continue\r\nContent-Length: 1000\r\n\r\nINSERT INTO lo',
        );
        await once(socket, 'data');
        const before = logged(server.output(), '"msg":"answered"');
        socket.destroy();
        await until(() => Promise.resolve(logged(server.output(), '"msg":"answered"') > before));
      }
    } finally {
      await server.stop();
    }
    expect(logged(server.output(), '"level":50')).toBe(0);
    expect(logged(server.output(), 'the client has left')).toBeGreaterThan(0);
  }, 120_000);
});

const logged = (output: string, text: string): number => output.split(text).length - 1;
