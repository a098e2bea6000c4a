import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MillraceError } from '@app/platform';

const WAITING_MAX = 16;
const HEADERS_MAX = 256;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The requests of one connection: the one that is being answered, and those that wait for it. */
interface Line {
  current: Exchange | undefined;
  waiting: Exchange[];
  isRefused: boolean;
}

/**
 * Answers the requests of a connection one at a time. A client may send its next requests before it
 * has an answer, and one piece of its bytes can hold more than a thousand of them: all would be
 * begun before any other connection is looked at. The number that wait is bounded, and so is the
 * number of headers, before anything is done for them.
 * @param refuse answers outside of any request, and ends the connection
 */
export function answerOneAtATime(
  server: Server,
  refuse: (socket: Socket, failure: MillraceError) => void,
): void {
  const lines = new WeakMap<Socket, Line>();
  const answerers = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  let ended: Line[] = [];

  function begin(line: Line, exchange: Exchange): void {
    line.current = exchange;
    // The event comes once, and to keep a listener costs less than to take it away.
    exchange.response.on('close', () => {
      // Many pieces of one connection are read before the next connection's.
      if (ended.length === 0) setImmediate(goOnWithAll);
      ended.push(line);
    });
    for (const answer of answerers) answer(exchange.request, exchange.response);
  }

  function goOnWithAll(): void {
    const lines = ended;
    ended = [];
    for (const line of lines) goOn(line);
  }

  function goOn(line: Line): void {
    line.current = undefined;
    const next = line.waiting.shift();
    if (next && !next.request.socket.destroyed) begin(line, next);
  }

  function end(line: Line, socket: Socket, failure: MillraceError): void {
    line.isRefused = true;
    line.waiting = [];
    // A client would take a refusal behind the beginning of an answer for its body.
    if (line.current?.response.headersSent || socket.writableLength > 0) socket.destroy();
    else refuse(socket, failure);
    // Otherwise a client that goes on sending would have its requests kept.
    socket.destroySoon();
  }

  server.on('request', (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? { current: undefined, waiting: [], isRefused: false };
    lines.set(socket, line);
    if (line.isRefused || socket.destroyed) return;
    const failure = problemOf(request, line);
    if (failure) end(line, socket, failure);
    else if (line.current) line.waiting.push({ request, response });
    else begin(line, { request, response });
  });
}

function problemOf({ rawHeaders }: IncomingMessage, { waiting }: Line): MillraceError | undefined {
  // Names and values alternate in this list.
  if (rawHeaders.length > 2 * HEADERS_MAX)
    return new MillraceError(
      'HEADERS_TOO_LARGE',
      `a request may have at most ${HEADERS_MAX} headers`,
    );
  if (waiting.length >= WAITING_MAX)
    return new MillraceError(
      'TOO_MANY_REQUESTS',
      `more than ${WAITING_MAX} requests wait on this connection; wait for their answers`,
    );
  return undefined;
}
