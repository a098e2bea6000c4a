// The same request over and over, on many connections, for some seconds, in a process of its own.
// It reads no more of an answer than where it ends: a client by Node's parser costs more than ROAPI.
// `{n}` in a request is another number each time.
// node hammer.mjs <port> <connections> <seconds> <request as JSON: method, path, body>
// Prints {requests, seconds, bad} as JSON.
import { connect } from 'node:net';

const [port, connections, seconds, request] = process.argv.slice(2);
const { method, path, body = '' } = JSON.parse(request);
const varies = `${path}${body}`.includes('{n}');

function written(n) {
  const [to, what] = [path, body].map((text) => text.replace('{n}', n));
  const head = `${method} ${to} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: */*\r\n`;
  const length = method === 'GET' ? '' : `Content-Length: ${Buffer.byteLength(what)}\r\n`;
  return Buffer.from(`${head}${length}\r\n${what}`);
}

const same = written(0);
let sent = 0;
const next = () => (varies ? written((sent += 1)) : same);

let requests = 0;
let bad = 0;
const started = performance.now();
const until = started + Number(seconds) * 1000;

/** @returns where the answer ends, or -1 while it is not all there */
function end(text) {
  const body = text.indexOf('\r\n\r\n');
  if (body === -1) return -1;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, body + 2)) ?? [];
  if (length !== undefined) {
    const all = body + 4 + Number(length);
    return text.length >= all ? all : -1;
  }
  const last = text.indexOf('0\r\n\r\n', body);
  return last === -1 ? -1 : last + 5;
}

const client = () =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.setNoDelay(true);
    socket.once('error', reject);
    socket.once('close', resolve);
    socket.on('data', (chunk) => {
      text += chunk.latin1Slice();
      if (end(text) === -1) return;
      if (!text.startsWith('HTTP/1.1 200 ')) bad += 1;
      text = '';
      requests += 1;
      if (performance.now() < until) socket.write(next());
      else socket.destroy();
    });
    socket.write(next());
  });
await Promise.all(Array.from({ length: Number(connections) }, client));
console.log(JSON.stringify({ requests, seconds: (performance.now() - started) / 1000, bad }));
