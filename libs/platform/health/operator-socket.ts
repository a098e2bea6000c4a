import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { certain } from '../errors/certain.js';
import { OperatorError } from '../errors/operator-error.js';

/** A task that an operator gives a running server. */
export interface OperatorTask {
  /** @param tell writes a line for the operator meanwhile @returns the result */
  (
    wish: unknown,
    working: { readonly signal: AbortSignal; readonly tell: (step: object) => void },
  ): Promise<object>;
}

export interface OperatorSocket {
  close(): Promise<void>;
}

const NAME = 'operator.sock';
/** The kernel takes no longer paths of sockets (108 bytes on Linux, 104 elsewhere). */
const PATH_BYTES_MAX = 100;

type Line =
  | { readonly step: object }
  | { readonly done: object }
  | { readonly failed: { readonly message: string } };

/**
 * A way to a running server that only its own user has: HTTP on a socket in the data directory,
 * which only its owner can open. The process has the directory for itself by then, so an existing
 * socket was left by a crash.
 * @param tasks by the name in the path
 */
export async function openOperatorSocket(
  dataDirectory: string,
  tasks: Readonly<Record<string, OperatorTask>>,
): Promise<OperatorSocket> {
  const place = placeIn(dataDirectory);
  const file = join(dataDirectory, NAME);
  rmSync(file, { force: true });
  const server = createServer((asked, response) => {
    const task = tasks[asked.url?.slice(1) ?? ''];
    if (!task || asked.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    json(asked)
      .then((wish) => perform(task, wish, response))
      .catch(() => response.destroy());
  });
  try {
    server.listen(place.path);
    await once(server, 'listening');
  } catch (error) {
    place.close();
    throw error;
  }
  server.unref();
  return {
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      place.close();
    },
  };
}

async function perform(task: OperatorTask, wish: unknown, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  const say = (line: Line): void => void response.write(`${JSON.stringify(line)}\n`);
  try {
    const tell = (step: object): void => say({ step });
    say({ done: await task(wish, { signal: left.signal, tell }) });
  } catch (error) {
    say({ failed: { message: error instanceof Error ? error.message : String(error) } });
  }
  response.end();
}

/**
 * Sends a request to the server that runs on a data directory, and gives its answer. A program that
 * ends meanwhile withdraws its request.
 * @throws {Error} with the server's own message, or when no server runs there
 */
export async function askServer(
  dataDirectory: string,
  name: string,
  wish: object,
  onStep: (step: object) => void,
): Promise<object> {
  const place = placeIn(dataDirectory);
  const asked = request({ socketPath: place.path, path: `/${name}`, method: 'POST' });
  try {
    asked.end(JSON.stringify(wish));
    const [answer] = (await once(asked, 'response').catch((error: unknown) => {
      throw new OperatorError(
        `no server answers for the data directory ${dataDirectory} (${(error as Error).message}): start it, or set MILLRACE_DATA_DIR to that of the one that runs`,
        { cause: error },
      );
    })) as [IncomingMessage];
    if (answer.statusCode !== 200)
      throw new OperatorError(
        'the server that runs is of another version: it does not know this command',
      );
    for await (const line of linesOf(answer)) {
      if ('done' in line) return line.done;
      if ('failed' in line) throw new OperatorError(line.failed.message);
      onStep(line.step);
    }
    throw new OperatorError('the server has ended before it was done');
  } finally {
    asked.destroy();
    place.close();
  }
}

/** Reads the lines of an answer until it ends, in whatever way. */
async function* linesOf(answer: Readable): AsyncIterable<Line> {
  let rest = '';
  answer.setEncoding('utf8');
  const texts = answer[Symbol.asyncIterator]() as AsyncIterator<string>;
  // A client that leaves ends the request, which is an error of the answer.
  answer.on('error', () => undefined);
  for (;;) {
    const text = await texts.next().catch(() => undefined);
    if (!text || text.done === true) return;
    const lines = `${rest}${text.value}`.split('\n');
    rest = certain(lines.pop(), 'last line of a text');
    for (const line of lines) yield JSON.parse(line) as Line;
  }
}

/**
 * A short enough path. If the directory's path is too long, a descriptor of the directory replaces
 * it.
 */
function placeIn(directory: string): { readonly path: string; close(): void } {
  const path = join(directory, NAME);
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX || process.platform !== 'linux')
    return { path, close: () => undefined };
  const descriptor = openSync(directory, 'r');
  return {
    path: `/proc/self/fd/${descriptor}/${NAME}`,
    close: () => closeSync(descriptor),
  };
}
