import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections and to servers that ask for any: nobody
 * takes one of these between its choice and its use, or while its server is killed and not yet back.
 */
const RANGE = { first: 20_000, last: 32_000 };
const TRIES = 50;

/** A port of 127.0.0.1 that nobody listens on, for a server that will come back on it. */
export async function freePort() {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = RANGE.first + Math.floor(Math.random() * (RANGE.last - RANGE.first));
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error.code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`no port was free in ${TRIES} tries`);
}
