import { maxHeaderSize, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { loggedUrl, sendError } from '../failures/error-filter.js';
import {
  bodyOf,
  certain,
  measureRequests,
  MillraceError,
  requestId,
  traceRequests,
  type Logger,
} from '@app/platform';
import { boundConnections, connectionsMax } from './bounded-connections.js';
import { lastSegmentConstraint } from './last-segment.js';
import { answerOneAtATime } from './one-at-a-time.js';
import { OpenExchanges } from './open-exchanges.js';
import { refuseOtherSites, type AllowedPages } from '../pages/other-sites.js';
import { rememberRoutes } from './route-methods.js';
import { endSilentSockets } from './silent-sockets.js';
import { endWaitingAnswers } from './waiting-answers.js';

interface HttpOptions {
  /** Addresses or ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly pages: AllowedPages;
  /** A client that sends nothing for so long is cut off. */
  readonly idleSeconds: number;
  /** Tells whether requests become spans of traces. */
  readonly traced: boolean;
  /** Undefined means: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** The path that a request means; undefined: the path as it was sent. */
  readonly pathOf?: ((request: RawRequest) => string) | undefined;
}

type RawRequest = Pick<IncomingMessage, 'url' | 'headers' | 'socket'>;

/** A stream's name may be percent-encoded throughout. */
const PARAMETER_LENGTH_MAX = 400;
const HEADERS_TIMEOUT_MS = 30_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/**
 * Node.js itself would answer a request without Host, and without a body: see refuseUnanswerable.
 */
const OF_NODE = { headersTimeout: HEADERS_TIMEOUT_MS, requireHostHeader: false };

/**
 * Fastify as Millrace needs it: bodies stay unread streams for their routes to read, errors that
 * come before any route have the same shape as all others, and every response says its request id.
 */
export function httpAdapter(
  { trustedProxies, pages, idleSeconds, traced, tls, pathOf }: HttpOptions,
  logger: Logger,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    genReqId: requestId,
    ...(trustedProxies.length > 0 ? { trustProxy: [...trustedProxies] } : {}),
    requestTimeout: 0,
    ...(pathOf && { rewriteUrl: pathOf }),
    routerOptions: {
      maxParamLength: PARAMETER_LENGTH_MAX,
      constraints: lastSegmentConstraint,
      // Elasticsearch clients ask for their base path with a slash behind it.
      ignoreTrailingSlash: true,
    },
    forceCloseConnections: 'idle',
    // Fastify's own answer to such requests has another form: see refuseWhileStopping.
    return503OnClosing: false,
    ...(tls
      ? {
          https: {
            ...tls,
            handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
            ...OF_NODE,
          },
        }
      : { http: OF_NODE }),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendError(error, request, reply, logger),
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
  });
  const fastify = adapter.getInstance();
  answerOneAtATime(fastify.server, endWith);
  rememberRoutes(fastify);
  const most = connectionsMax();
  boundConnections(fastify, most, () =>
    logger.warn(
      { connections: most },
      'too many connections; those without a request, or of who has the most, are ended',
    ),
  );
  const exchanges = new OpenExchanges(fastify);
  endWaitingAnswers(fastify, exchanges);
  endSilentSockets(fastify, exchanges, idleSeconds * 1000, (socket) =>
    endWith(
      socket,
      new MillraceError('UPLOAD_TIMEOUT', `the body stopped for ${idleSeconds} seconds`),
    ),
  );
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    '*',
    (_request: FastifyRequest, _body: unknown, done: (error: null) => void) => done(null),
  );
  measureRequests(fastify);
  if (traced) traceRequests(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('X-Request-Id', request.id);
    if (logger.isLevelEnabled('debug'))
      reply.raw.once('close', () => logger.debug(requestLine(request, reply), 'answered'));
    done();
  });
  refuseUnanswerable(fastify, logger);
  refuseWhileStopping(fastify, logger);
  refuseOtherSites(fastify, pages, (error, request, reply) =>
    sendError(error, request, reply, logger),
  );
  return adapter;
}

/** Refuses what Node.js would refuse without saying why. */
function refuseUnanswerable(fastify: FastifyInstance, logger: Logger): void {
  fastify.server.on('checkExpectation', ({ socket }: IncomingMessage) =>
    endWith(
      socket,
      new MillraceError(
        'EXPECTATION_FAILED',
        'the header Expect may ask for 100-continue and nothing else; leave it out',
      ),
    ),
  );
  fastify.addHook('onRequest', (request, reply, done) => {
    const { headers, httpVersion } = request.raw;
    if (headers.host !== undefined || httpVersion === '1.0') done();
    else
      sendError(
        new MillraceError('MALFORMED_BODY', 'the request has no header Host; send one'),
        request,
        reply,
        logger,
      );
  });
}

const STOPPED_SECONDS = 5;

/**
 * Refuses requests that come on an open connection when the server has begun to close. Fastify says
 * `Connection: close` by itself.
 */
function refuseWhileStopping(fastify: FastifyInstance, logger: Logger): void {
  let isStopping = false;
  fastify.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!isStopping) {
      done();
      return;
    }
    const why = 'the server stops; nothing was done: send it again, or to another node';
    const failure = new MillraceError('SHUTTING_DOWN', why, {
      retryAfterSeconds: STOPPED_SECONDS,
    });
    sendError(failure, request, reply, logger);
  });
}

function requestLine(request: FastifyRequest, { raw, elapsedTime }: FastifyReply): object {
  return {
    requestId: request.id,
    method: request.method,
    url: loggedUrl(request),
    status: raw.statusCode,
    milliseconds: Math.round(elapsedTime),
    whole: raw.writableFinished,
  };
}

/** Answers bytes that are not even HTTP, or a request that ends in its middle. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  endWith(socket, clientFailure(error.code));
}

function clientFailure(code: string | undefined): MillraceError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new MillraceError('UPLOAD_TIMEOUT', 'the request took too long to arrive');
    case 'HPE_HEADER_OVERFLOW':
      return new MillraceError(
        'HEADERS_TOO_LARGE',
        `the URL and the headers may have ${maxHeaderSize} bytes together; a statement or a query can be sent as a body`,
      );
    default:
      return new MillraceError('MALFORMED_BODY', 'this is not a whole HTTP/1.1 request');
  }
}

/** Answers without waiting for the requests before it, and closes. */
function endWith(socket: Socket, failure: MillraceError): void {
  const body = JSON.stringify(bodyOf(failure));
  socket.end(
    `HTTP/1.1 ${failure.status} ${certain(STATUS_CODES[failure.status], 'phrase of a status')}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Request-Id: ${requestId({ headers: {} })}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
