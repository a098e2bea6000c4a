import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Caller, RequestOrganization } from './caller.js';
import { MillraceError } from '../errors/errors.js';
import { isLoopback, namesLoopback } from './loopback.js';
import type { Access } from './permission.js';

/** A request that has passed authentication. */
export interface AuthenticatedRequest extends FastifyRequest {
  caller?: Caller;
  organization?: RequestOrganization;
  /** The access that the route asks for. */
  access?: Access;
  /** Tells whether the request would be admitted now. Undefined means that anybody is admitted. */
  isAdmitted?: () => boolean;
  /** The text of a JSON body that came with an `Idempotency-Key`. */
  keyedBody?: string;
}

/**
 * Must be called when the body has come, because a client may send it long after the headers, and
 * have lost the right meanwhile.
 * @throws {MillraceError} FORBIDDEN
 */
export function checkAdmission({ isAdmitted }: Pick<AuthenticatedRequest, 'isAdmitted'>): void {
  if (isAdmitted?.() === false)
    throw new MillraceError(
      'FORBIDDEN',
      'your right to do this ended before the request was complete; nothing was done',
    );
}

/** The caller's organization of this route; a route without `:org` has none. */
export function organizationOf(request: AuthenticatedRequest): RequestOrganization {
  if (!request.organization) throw new MillraceError('FORBIDDEN', 'this route is not open to you');
  return request.organization;
}

export function callerOf(request: AuthenticatedRequest): Caller {
  if (!request.caller) throw new MillraceError('UNAUTHORIZED', 'credentials are missing');
  return request.caller;
}

export const SENT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The id that came with the request when it is a plain word, else a new one. */
export function requestId(raw: {
  headers: Readonly<Record<string, string | string[] | undefined>>;
}): string {
  const sent = raw.headers['x-request-id'];
  return typeof sent === 'string' && SENT_ID.test(sent) ? sent : randomUUID();
}

const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/**
 * Tells whether the client is on this machine. A proxy on this machine may ask for a client
 * elsewhere: it either says so, or passes on the host name that the client asked for.
 */
export function fromThisMachine({ raw, ip, headers }: FastifyRequest): boolean {
  if (!isLoopback(raw.socket.remoteAddress ?? '') || !isLoopback(ip)) return false;
  if (!namesLoopback(headers.host)) return false;
  return FORWARDED.every((name) => headers[name] === undefined);
}
