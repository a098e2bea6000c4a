import { get } from 'node:http';
import { connect } from 'node:net';

export interface Received {
  readonly ms: number;
  readonly bytes: number;
}

type Headers = Readonly<Record<string, string>>;

/** Takes an answer by Node's own client, and lets its bytes go. */
export function receivedByNode(url: URL, headers: Headers): Promise<Received> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const sent = get(url, { headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.once('error', reject);
      response.once('end', () => resolve({ ms: performance.now() - started, bytes }));
    });
    sent.on('error', reject);
  });
}

const WINDOW_BYTES = 1024 * 1024;

/** Takes all bytes that come after a request, its headers and the chunks' lengths too, and looks at none of them: what the server can send, not what a client can read. */
export function receivedBySocket(url: URL, headers: Headers): Promise<Received> {
  const lines = Object.entries({ ...headers, host: url.host, connection: 'close' });
  const request = `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  const started = performance.now();
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const callback = (length: number): true => {
      bytes += length;
      return true;
    };
    const onread = { buffer: Buffer.allocUnsafe(WINDOW_BYTES), callback };
    const socket = connect({ host: url.hostname, port: Number(url.port), onread });
    socket.once('error', reject);
    socket.once('close', () => resolve({ ms: performance.now() - started, bytes }));
    socket.write(request);
  });
}
