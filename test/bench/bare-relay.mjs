// The floor for queries over HTTP: Node.js hands each request on to the engine, and the answer back.
// `node bare-relay.mjs <origin of the engine>`; prints its port.
import { Agent, createServer, request } from 'node:http';

const origin = process.argv[2];
const agent = new Agent({ keepAlive: true });

const server = createServer((asked, answer) => {
  const { method, url, headers } = asked;
  const sent = request(new URL(url, origin), { method, agent, headers }, (given) => {
    answer.writeHead(given.statusCode, given.headers);
    given.pipe(answer);
  });
  sent.on('error', (error) => answer.destroy(error));
  asked.pipe(sent);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
