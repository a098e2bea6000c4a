import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import {
  ACCESS_METADATA,
  fromThisMachine,
  isLoopback,
  namesLoopback,
  MillraceError,
  type Access,
  type AuthenticatedRequest,
} from '@app/platform';
import { holdTables } from '../registry/hold-tables.js';
import type { TableRegistry } from '../registry/table-registry.js';
import { ShownToken } from '../shown-token.js';

interface CallerTerms {
  /** It is absent when callers need no token. */
  readonly token?: string;
  /** Tells where the program listens. */
  readonly http: { readonly host: string };
}

/**
 * Lets callers in that send the token, if one is configured, and gives each request the tables as
 * they are when it comes. There are no accounts here: one "organization" has all tables.
 */
export class CallerGuard implements CanActivate {
  private readonly token: ShownToken;
  private readonly wantsOwnName: boolean;
  /** The last header that named this machine: most clients send the same one each time. */
  private ownName: string | undefined;
  /** Routes are looked up once. Nest makes one handler of each. */
  private readonly accesses = new Map<unknown, Access | undefined>();

  constructor(
    private readonly reflector: Reflector,
    private readonly tables: TableRegistry,
    { token, http }: CallerTerms,
  ) {
    this.token = new ShownToken(token);
    this.wantsOwnName = token === undefined && isLoopback(http.host);
  }

  canActivate(context: ExecutionContext): boolean {
    const access = this.accessOf(context);
    if (access === 'open') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const { host } = request.headers;
    if (this.wantsOwnName && (host === undefined || host !== this.ownName)) {
      insistOnOwnName(host);
      this.ownName = host;
    }
    if (access === 'operator' && fromThisMachine(request)) return true;
    this.token.check(request.headers.authorization);
    if (access === undefined) throw new MillraceError('FORBIDDEN', 'this route is not open to you');
    const hold = holdTables(this.tables);
    http.getResponse<FastifyReply>().raw.on('close', hold.release);
    request.organization = hold.organization;
    return true;
  }

  private accessOf(context: ExecutionContext): Access | undefined {
    const handler = context.getHandler();
    if (this.accesses.has(handler)) return this.accesses.get(handler);
    const route = [handler, context.getClass()];
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS_METADATA, route);
    this.accesses.set(handler, access);
    return access;
  }
}

/**
 * A page may make its own host name point to this machine (DNS rebinding). The browser then takes
 * page and program for one origin, but it sends that name.
 */
function insistOnOwnName(header: string | undefined): void {
  if (namesLoopback(header)) return;
  throw new MillraceError(
    'FORBIDDEN',
    'without --token the program answers to localhost, 127.0.0.1 and [::1] only; call it by one of these names, or start it with --token',
  );
}
