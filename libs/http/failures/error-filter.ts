import type { IncomingMessage } from 'node:http';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  bodyOf,
  countFailure,
  engineFailure,
  explainIssues,
  isAbort,
  MillraceError,
  withoutLiterals,
  type AuthenticatedRequest,
  type Logger,
} from '@app/platform';
import { elasticsearchFailure, isElasticsearchClient } from './elasticsearch-failures.js';
import { failureForm } from './failure-form.js';
import { routeHint } from './route-hints.js';
import { StrangerLines } from './stranger-lines.js';
import { CONSOLE_HEADER } from '../pages/other-sites.js';
import { methodsAt } from '../server/route-methods.js';

/** A path of 16 KB would make a line as long, twice. */
const TOLD_MAX = 500;
const strangers = new StrangerLines();

/** Is called with every failure before the client gets its answer. */
type FailureListener = (failure: MillraceError, request: AuthenticatedRequest) => Promise<void>;

/** Turns whatever was thrown into the one error shape of the API. Nothing else maps errors to HTTP. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly listener: FailureListener,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    // A field of a GraphQL answer: the answer has a place for its error.
    if (host.getType<string>() === 'graphql') throw error;
    const http = host.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    await this.listener(toMillraceError(error, request), request);
    sendError(error, request, http.getResponse<FastifyReply>(), this.logger);
  }
}

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): void {
  if (leftByItsClient(error, request, reply)) {
    logger.debug({ requestId: request.id, url: loggedUrl(request) }, 'the client has left');
    return;
  }
  const failure = toMillraceError(error, request);
  countFailure(failure, request);
  logFailure(failure, error, request, logger);
  if (reply.sent || reply.raw.headersSent) {
    // A cut answer must never look whole.
    reply.raw.destroy();
    return;
  }
  void reply.header('X-Request-Id', request.id);
  if (failure.kind === 'UNAUTHORIZED') void reply.header('WWW-Authenticate', challenge(request));
  if (failure.retryAfterSeconds !== undefined)
    void reply.header('Retry-After', String(failure.retryAfterSeconds));
  if (failure.allow !== undefined) void reply.header('Allow', failure.allow.join(', '));
  if (!request.raw.readableEnded && hasBody(request)) discardBody(request.raw);
  const form = failureForm(request)?.(failure, request);
  const { type, body } = form ?? {
    type: 'application/json; charset=utf-8',
    body: JSON.stringify(commonBody(failure, request)),
  };
  if (form?.headers) void reply.headers(form.headers);
  void reply.status(failure.status).type(type).send(body);
}

function commonBody(failure: MillraceError, request: FastifyRequest): object {
  if (!isElasticsearchClient(request.headers)) return bodyOf(failure);
  const { status, kind, message: reason } = failure;
  return elasticsearchFailure(request, status, { type: kind.toLowerCase(), reason });
}

function logFailure(
  failure: MillraceError,
  error: unknown,
  request: FastifyRequest,
  logger: Logger,
): void {
  const isOurs = failure.kind === 'INTERNAL';
  const { caller } = request as Partial<AuthenticatedRequest>;
  if (!isOurs && !caller && !strangers.admit(logger)) return;
  const log = {
    requestId: request.id,
    method: request.method,
    url: loggedUrl(request).slice(0, TOLD_MAX),
    kind: failure.kind,
  };
  const told = withoutLiterals(failure.message).slice(0, TOLD_MAX);
  const engine = engineFailure(failure.cause);
  if (isOurs) logger.error({ ...log, err: error }, told);
  else if (engine) logger.info({ ...log, engine }, 'the engine has refused it');
  else logger.info({ ...log, err: failure.cause }, told);
}

/**
 * Work that was cancelled because nobody waits for it has not failed. Neither has a request that
 * ends in the middle of its body.
 */
function leftByItsClient(
  error: unknown,
  { raw: asked }: FastifyRequest,
  { raw }: FastifyReply,
): boolean {
  const isCutOff = !asked.complete && error === asked.errored;
  return isCutOff || (raw.destroyed && isAbort(error));
}

/**
 * E-mails of people, statements and filters must not appear in logs. Only the names of parameters
 * are logged.
 */
export function loggedUrl(request: FastifyRequest): string {
  const pattern = request.routeOptions.url;
  if (pattern?.includes(':email')) return pattern;
  const [path = '', parameters] = request.url.split('?', 2);
  if (parameters === undefined) return path;
  const names = parameters.split('&').map((each) => each.split('=', 1)[0]);
  return `${path}?${names.join('&')}`;
}

/**
 * The challenge of a 401, which is Basic first of all. Our own page gets a scheme that no browser
 * knows, because a browser would ask for a password itself. A client that has sent a token learns
 * that tokens are known here, and that this one is not good.
 */
function challenge({ headers }: FastifyRequest): string {
  if (headers[CONSOLE_HEADER] !== undefined) return 'Session realm="millrace"';
  const basic = 'Basic realm="millrace"';
  return /^bearer\b/i.test(headers.authorization ?? '')
    ? `${basic}, Bearer realm="millrace", error="invalid_token"`
    : basic;
}

const DISCARD_MS = 30_000;

/**
 * Reads what is left of a body and throws it away: closing on a client that still sends would
 * take the answer from it. One that sends for too long is cut off all the same.
 */
function discardBody(body: IncomingMessage): void {
  const cut = setTimeout(() => body.destroy(), DISCARD_MS).unref();
  body.once('close', () => clearTimeout(cut));
  body.unpipe();
  body.resume();
}

function hasBody(request: FastifyRequest): boolean {
  return (
    request.headers['content-length'] !== undefined ||
    request.headers['transfer-encoding'] !== undefined
  );
}

const RETRY_SECONDS = 5;

/** The fields of a request that the message about a failure tells. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly id: string;
  readonly server?: FastifyRequest['server'];
}

/** There is nothing at the path, or not for this method. */
function noRoute({ method, url, server }: Asked): MillraceError {
  const [path = ''] = url.split('?', 1);
  const methods = (at: string) => (server ? methodsAt(server.server, at) : []);
  const hint = routeHint({ method, path }, methods);
  const told = `no such route: ${method} ${path}`;
  const more = hint === undefined ? '' : `; ${hint}`;
  const allow = methods(path);
  if (allow.length === 0) return new MillraceError('ROUTE_NOT_FOUND', `${told}${more}`);
  const takes = hint === undefined ? `; this path takes ${allow.join(', ')}` : more;
  return new MillraceError('METHOD_NOT_ALLOWED', `${told}${takes}`, { allow });
}

/**
 * @returns the failure as the client may see it; an error whose message may reveal something
 *   becomes INTERNAL.
 */
function toMillraceError(error: unknown, request: Asked): MillraceError {
  if (error instanceof MillraceError) return error;
  if (error instanceof z.ZodError)
    return new MillraceError('INVALID_PARAMETER', explainIssues(error));
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === 'FST_ERR_BAD_URL')
    return new MillraceError(
      'MALFORMED_BODY',
      'the path is no percent-encoded UTF-8; write a percent sign in it as %25',
      { cause: error },
    );
  const status =
    error instanceof HttpException
      ? error.getStatus()
      : (error as { statusCode?: unknown } | null | undefined)?.statusCode;
  // Fastify demands a Content-Type for the method QUERY before it looks for a route, and no route
  // takes it.
  if (status === 400 && request.method === 'QUERY') return noRoute(request);
  switch (status) {
    case 401:
      return new MillraceError('UNAUTHORIZED', 'credentials are missing or wrong', {
        cause: error,
      });
    case 403:
      return new MillraceError('FORBIDDEN', 'this route is not open to you', { cause: error });
    case 404:
      return noRoute(request);
    case 413:
      return new MillraceError('UPLOAD_TOO_LARGE', 'the body is too large', { cause: error });
    case 415:
      return new MillraceError(
        'UNSUPPORTED_ENCODING',
        'this Content-Type is not taken here: send application/json, application/x-ndjson, text/csv, multipart/form-data, or none',
        {
          cause: error,
        },
      );
    case 503:
      return new MillraceError(
        'NOT_READY',
        'a component of the server cannot be reached just now; try again in a while',
        { retryAfterSeconds: RETRY_SECONDS, cause: error },
      );
    case 408:
      return new MillraceError('UPLOAD_TIMEOUT', 'the request took too long to arrive', {
        cause: error,
      });
    default:
  }
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new MillraceError('MALFORMED_BODY', (error as Error).message, { cause: error });
  }
  return new MillraceError(
    'INTERNAL',
    `something went wrong on our side; tell us request id ${request.id}`,
    { cause: error },
  );
}
