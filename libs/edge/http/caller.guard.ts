import { createHash, timingSafeEqual } from 'node:crypto';
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
import type { TableRegistry } from '../registry/table-registry.js';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

interface CallerTerms {
  /** Absent: nobody has to show one. */
  readonly token?: string;
  /** Where the program listens. */
  readonly http: { readonly host: string };
}

/**
 * Lets callers in that show the token, where there is one, and gives each request the tables as
 * they are when it comes. There are no accounts here: one "organization" has all tables.
 */
export class CallerGuard implements CanActivate {
  private readonly expected: Buffer | undefined;
  private readonly wantsOwnName: boolean;

  constructor(
    private readonly reflector: Reflector,
    private readonly tables: TableRegistry,
    { token, http }: CallerTerms,
  ) {
    this.expected = token === undefined ? undefined : digest(token);
    this.wantsOwnName = token === undefined && isLoopback(http.host);
  }

  canActivate(context: ExecutionContext): boolean {
    const route = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS_METADATA, route);
    if (access === 'open') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    if (this.wantsOwnName) insistOnOwnName(request.headers.host);
    if (access === 'operator' && fromThisMachine(request)) return true;
    this.admit(request.headers.authorization);
    if (access === undefined) throw new MillraceError('FORBIDDEN', 'this route is not open to you');
    const hold = this.tables.hold();
    http.getResponse<FastifyReply>().raw.once('close', () => hold.release());
    request.organization = {
      id: 'edge',
      name: 'edge',
      database: hold.database,
      share: 'edge',
    };
    return true;
  }

  /** `Bearer <token>`, or Basic with the token as password, for browsers and programs that know no other. */
  private admit(authorization = ''): void {
    if (!this.expected) return;
    const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(authorization) ?? [];
    const shown =
      scheme.toLowerCase() === 'basic'
        ? Buffer.from(value, 'base64')
            .toString('utf8')
            .replace(/^[^:]*:/, '')
        : value;
    if (!timingSafeEqual(digest(shown), this.expected))
      throw new MillraceError(
        'UNAUTHORIZED',
        'the token is missing or wrong; send Authorization: Bearer <token>',
      );
  }
}

/**
 * A page whose name its owner lets point to this machine (DNS rebinding) is of one origin with the
 * program for the browser, but the name is in what the browser sends.
 */
function insistOnOwnName(header: string | undefined): void {
  if (namesLoopback(header)) return;
  throw new MillraceError(
    'FORBIDDEN',
    'without --token the program answers to localhost, 127.0.0.1 and [::1] only; call it by one of these names, or start it with --token',
  );
}
