// The same request over and over, on many connections, for some seconds, in a process of its own.
// It reads no more of an answer than where it ends: a client by Node's parser costs more than ROAPI.
// `{n}` in a request is another number each time.
// node hammer.mjs <port> <connections> <seconds> <request as JSON: method, path, body, headers>
// status is what each is to be answered. Prints {requests, seconds, medianMs, p99Ms, bad} as JSON.
import { connect } from 'node:net';

const [port, connections, lasting, request] = process.argv.slice(2);
const { method, path, body = '', headers = {}, status = 200 } = JSON.parse(request);
const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join(''); // prettier-ignore
const varies = `${path}${body}`.includes('{n}');

function written(n) {
  const [to, what] = [path, body].map((text) => text.replace('{n}', n));
  const head = `${method} ${to} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: */*\r\n${more}`;
  const length = method === 'GET' ? '' : `Content-Length: ${Buffer.byteLength(what)}\r\n`;
  return Buffer.from(`${head}${length}\r\n${what}`);
}

const same = written(0);
let sent = 0;
const next = () => (varies ? written((sent += 1)) : same);

let requests = 0;
let bad = 0;
const times = [];
const started = performance.now();
const until = started + Number(lasting) * 1000;

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
    let asked = performance.now();
    socket.setNoDelay(true);
    socket.once('error', reject);
    socket.once('close', resolve);
    socket.on('data', (chunk) => {
      text += chunk.latin1Slice();
      if (end(text) === -1) return;
      if (!text.startsWith(`HTTP/1.1 ${status} `)) bad += 1;
      times.push(performance.now() - asked);
      text = '';
      requests += 1;
      asked = performance.now();
      if (asked < until) socket.write(next());
      else socket.destroy();
    });
    socket.write(next());
  });
await Promise.all(Array.from({ length: Number(connections) }, client));
times.sort((a, b) => a - b);
const [medianMs, p99Ms] = [0.5, 0.99].map((share) => times[Math.floor(times.length * share)] ?? 0);
const seconds = (performance.now() - started) / 1000;
console.log(JSON.stringify({ requests, seconds, medianMs, p99Ms, bad }));
