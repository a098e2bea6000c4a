import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Login } from './engine-users.js';

const ANSWER_MS = 1000;
const OK = 200;

/**
 * Asks the engine. The answer is undefined if none comes. The request has a connection of its own,
 * because an idle connection would delay the engine's end.
 */
export function ask(url: string, login: Login, query: string): Promise<string | undefined> {
  const headers = { 'X-ClickHouse-User': login.username, 'X-ClickHouse-Key': login.password };
  const signal = AbortSignal.timeout(ANSWER_MS);
  return new Promise((resolve) => {
    const given = request(url, { method: 'POST', agent: false, headers, signal }, (response) => {
      text(response).then(
        (answer) => resolve(response.statusCode === OK ? answer.trimEnd() : undefined),
        () => resolve(undefined),
      );
    });
    given.once('error', () => resolve(undefined));
    given.end(query);
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
