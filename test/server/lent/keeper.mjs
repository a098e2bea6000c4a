// Starts and keeps the servers that suites borrow, one for each of jest's workers, when the first
// suite asks. A process of its own, which ends with them when its standard input ends: when jest
// is done, is interrupted, or is killed.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { LentServer } from './lent-server.mjs';

const [socket] = process.argv.slice(2);
/** The servers by worker. */
const servers = new Map();
let founded = 0;

/** The worker's server, as good as new. */
async function serverOf(worker) {
  const known = await servers.get(worker);
  if (known) {
    try {
      known.refuseEnded();
      if (known.loans.size === 0) return known;
      console.error(`${[...known.loans].join(', ')} was never given back: another server is lent`);
    } catch (error) {
      console.error(error.message);
    }
    await discard(worker);
  }
  const started = LentServer.start();
  servers.set(worker, started);
  started.catch(() => servers.delete(worker));
  return started;
}

async function discard(worker) {
  const server = servers.get(worker);
  servers.delete(worker);
  await (await server)?.stop();
}

async function lend({ worker }) {
  const server = await serverOf(worker);
  const organization = `suite${(founded += 1)}`;
  await server.found(organization);
  return { url: server.url, pid: server.pid, dataDirectory: server.dataDirectory, organization };
}

async function takeBack({ worker, organization }) {
  const server = await servers.get(worker);
  try {
    await server.takeBack(organization);
  } catch (error) {
    // The next suite gets another one, and this one is told.
    await discard(worker);
    throw error;
  }
  return {};
}

const calls = { '/lend': lend, '/take-back': takeBack };
const server = createServer((request, response) => {
  text(request)
    .then((body) => calls[request.url](JSON.parse(body)))
    .then(
      (answer) => response.end(JSON.stringify(answer)),
      (error) => response.writeHead(500).end(error.message),
    );
});

// Ctrl-C comes to all of jest's processes; this one ends when jest has.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.stdin.on('close', async () => {
  server.close();
  await Promise.allSettled([...servers.keys()].map(discard));
  process.exit();
});
process.stdin.resume();
server.listen(socket, () => console.log('keeps'));
