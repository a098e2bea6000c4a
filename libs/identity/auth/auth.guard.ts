import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard as PassportGuard } from '@nestjs/passport';
import {
  ACCESS_METADATA,
  fromThisMachine,
  MillraceError,
  type Access,
  type AuthenticatedRequest,
  type Caller,
  type Permission,
} from '@app/platform';
import { organizationNameProblem } from '../aggregates/organization.aggregate.js';
import { mayDo } from '../aggregates/roles.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';

/** What the organization's passcode opens; everything else needs the password. */
const BY_PASSCODE: ReadonlySet<Access> = new Set(['upload', 'query']);

/**
 * Every route asks for a permission or is declared open; a route that says neither is refused.
 * An organization that does not exist answers as one the caller may not see; root sees all, and
 * is told that there is none.
 */
@Injectable()
export class AuthGuard extends PassportGuard('basic') {
  constructor(
    private readonly reflector: Reflector,
    private readonly organizations: OrganizationsProjection,
  ) {
    super({ session: false, property: 'caller' });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS_METADATA, route);
    if (context.getType<string>() === 'graphql') {
      // The route of the catalogue has found out who asks; a resolver says what it takes.
      const { request } = context.getArgByIndex<{ request: AuthenticatedRequest }>(2);
      this.admit(request, access);
      return true;
    }
    if (access === 'open') return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (access !== undefined) request.access = access;
    if (access === 'operator' && fromThisMachine(request)) return true;
    await super.canActivate(context);
    this.admit(request, access);
    return true;
  }

  /** Passport's verdict: an error of ours passes, everything else is "no". */
  override handleRequest<User = Caller>(error: unknown, user: User | false): User {
    if (error instanceof Error) throw error;
    if (!user)
      throw new MillraceError(
        'UNAUTHORIZED',
        'credentials are missing or wrong; send HTTP Basic with e-mail and password',
      );
    return user;
  }

  private admit(request: AuthenticatedRequest, access: Access | undefined): void {
    const { caller } = request;
    if (!caller || access === undefined || access === 'open')
      throw new MillraceError('FORBIDDEN', 'this route is not open to you');
    if (caller.byPasscode && !BY_PASSCODE.has(access))
      throw new MillraceError(
        'FORBIDDEN',
        'the passcode uploads and queries; this needs the password of an account',
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
    const role = organization?.members.get(caller.userId);
    const may = caller.root || (role !== undefined && mayDo(role, permission));
    if (!organization || !may) {
      throw new MillraceError(
        'FORBIDDEN',
        `you may not do this in organization ${org}, or there is no such organization`,
      );
    }
    const { id, name, database, share } = organization;
    const administered =
      !caller.byPasscode &&
      (caller.root || (role !== undefined && mayDo(role, 'manage-organization')));
    request.organization = { id, name, database, share, administered };
  }
}
