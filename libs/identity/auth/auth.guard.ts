import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard as PassportGuard } from '@nestjs/passport';
import type { FastifyReply } from 'fastify';
import {
  ACCESS_METADATA,
  CallerStanding,
  fromThisMachine,
  MillraceError,
  seesStream,
  type Access,
  type AuthenticatedRequest,
  type Caller,
  type Permission,
} from '@app/platform';
import { organizationNameProblem } from '../aggregates/organization-names.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';
import { bearerIn } from './bearer.js';
import { Login } from './login.js';
import { mayIn } from './may-in.js';
import { FOR_ONE_BROWSER } from './sessions/session-cookie.js';
import { Sessions } from './sessions/sessions.js';

/** The organization's passcode gives these permissions. Everything else needs the password. */
const BY_PASSCODE: ReadonlySet<Access> = new Set(['upload', 'query']);
/** A token gives these permissions, as far as its role allows. */
const BY_TOKEN: ReadonlySet<Access> = new Set(['upload', 'query', 'configure-streams']);

/**
 * Checks each request. Every route asks for a permission or is declared open; a route that does
 * neither is refused. An organization that does not exist gives the same answer as one that the
 * caller may not see. Root sees all organizations, so root learns that it does not exist.
 */
@Injectable()
export class AuthGuard extends PassportGuard('basic') {
  constructor(
    private readonly reflector: Reflector,
    private readonly organizations: OrganizationsProjection,
    private readonly login: Login,
    private readonly sessions: Sessions,
    private readonly standing: CallerStanding,
  ) {
    super({ session: false, property: 'caller' });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS_METADATA, route);
    if (context.getType<string>() === 'graphql') {
      // The GraphQL route of metadata has identified the caller. Each resolver declares the
      // permission that it needs.
      const { request } = context.getArgByIndex<{ request: AuthenticatedRequest }>(2);
      this.admit(request, access);
      return true;
    }
    if (access === 'open') return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (access !== undefined) request.access = access;
    if (access === 'operator' && fromThisMachine(request)) return true;
    const secret = bearerIn(request);
    const session = request.headers.authorization === undefined && this.sessions.of(request);
    if (session) {
      request.caller = session.caller;
      void context.switchToHttp().getResponse<FastifyReply>().headers(FOR_ONE_BROWSER);
    } else if (secret === undefined) await super.canActivate(context);
    else request.caller = await this.callerByToken(request, secret);
    this.admit(request, access);
    const isStanding = this.standing.of(request);
    // A command or query of an organization that has ended meanwhile tells so by itself.
    request.isAdmitted = () => isStanding() || this.hasEnded(request);
    return true;
  }

  private hasEnded({ organization }: AuthenticatedRequest): boolean {
    return organization !== undefined && !this.organizations.get(organization.id);
  }

  /** Passport's result: an error of ours is passed on, everything else means "no". */
  override handleRequest<User = Caller>(error: unknown, user: User | false): User {
    if (error instanceof Error) throw error;
    if (!user)
      throw new MillraceError(
        'UNAUTHORIZED',
        'credentials are missing or wrong; send HTTP Basic with e-mail and password',
      );
    return user;
  }

  private async callerByToken(request: AuthenticatedRequest, secret: string): Promise<Caller> {
    const caller = await this.login.byToken({
      secret,
      organization: (request.params as { org?: string }).org,
      address: request.ip,
      userAgent: request.headers['user-agent'],
      requestId: request.id,
    });
    if (caller) return caller;
    throw new MillraceError(
      'UNAUTHORIZED',
      'the token is wrong, revoked or expired, or not of this organization',
    );
  }

  private admit(request: AuthenticatedRequest, access: Access | undefined): void {
    const { caller } = request;
    if (!caller || access === undefined || access === 'open')
      throw new MillraceError('FORBIDDEN', 'this route is not open to you');
    if (caller.byPasscode && !BY_PASSCODE.has(access))
      throw new MillraceError(
        'FORBIDDEN',
        'the passcode uploads, queries and lists streams; this needs the password of an account',
      );
    if (caller.token && !BY_TOKEN.has(access))
      throw new MillraceError(
        'FORBIDDEN',
        'a token uploads, queries and lists streams, and changes their settings where its role may; this needs the password of an account',
      );
    const { org } = request.params as { org?: string };
    if (org === undefined) {
      if (access !== 'account' && !(access === 'operator' && caller.root))
        throw new MillraceError('FORBIDDEN', 'this route is not open to you');
      return;
    }
    const problem = organizationNameProblem(org);
    if (problem) throw new MillraceError('INVALID_NAME', problem);
    if (access === 'operator')
      throw new MillraceError('FORBIDDEN', 'this route is not open to you');
    if (access !== 'account') this.admitTo(org, caller, access, request);
  }

  private admitTo(
    org: string,
    caller: Caller,
    permission: Permission,
    request: AuthenticatedRequest,
  ): void {
    const organization = this.organizations.find(org);
    if (!organization && caller.root)
      throw new MillraceError('ORGANIZATION_NOT_FOUND', `there is no organization ${org}`);
    if (!organization || !mayIn(organization, caller, permission)) {
      throw new MillraceError(
        'FORBIDDEN',
        `you may not do this in organization ${org}, or there is no such organization`,
      );
    }
    const { id, name, database, share } = organization;
    const administered = !caller.byPasscode && mayIn(organization, caller, 'manage-organization');
    const streams = caller.token?.streams;
    request.organization = { id, name, database, share, administered, ...(streams && { streams }) };
    const { stream } = request.params as { stream?: string };
    // Queries find nothing there, as if the stream did not exist. A write would create the stream.
    if (permission !== 'query' && stream !== undefined && !seesStream(request.organization, stream))
      throw new MillraceError('FORBIDDEN', 'this token is for other streams');
  }
}
