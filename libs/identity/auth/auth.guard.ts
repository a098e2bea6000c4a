import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard as PassportGuard } from '@nestjs/passport';
import {
  MillraceError,
  ACCESS_METADATA,
  type Access,
  type AuthenticatedRequest,
  type Caller,
  type Permission,
} from '@app/platform';
import { organizationNameProblem } from '../aggregates/organization.aggregate.js';
import { mayDo } from '../aggregates/roles.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';

/**
 * Every route asks for a permission or is declared open; a route that says neither is refused.
 * An organization that does not exist answers as one the caller may not see.
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
    if (access === 'open') return true;
    await super.canActivate(context);
    this.admit(context.switchToHttp().getRequest<AuthenticatedRequest>(), access);
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

  private admit(request: AuthenticatedRequest, permission: Permission | undefined): void {
    const { caller } = request;
    const { org } = request.params as { org?: string };
    if (!caller || permission === undefined)
      throw new MillraceError('FORBIDDEN', 'this route is not open to you');
    if (org === undefined) return;
    const problem = organizationNameProblem(org);
    if (problem) throw new MillraceError('INVALID_NAME', problem);
    const organization = this.organizations.find(org);
    const role = organization?.members.get(caller.userId);
    const may = caller.root || (role !== undefined && mayDo(role, permission));
    if (!organization || !may) {
      throw new MillraceError(
        'FORBIDDEN',
        `you may not do this in organization ${org}, or there is no such organization`,
      );
    }
    const { id, name, database } = organization;
    request.organization = { id, name, database };
  }
}
