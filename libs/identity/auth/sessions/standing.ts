import { Injectable } from '@nestjs/common';
import {
  callerOf,
  CallerStanding,
  organizationOf,
  type AuthenticatedRequest,
  type Caller,
  type Permission,
} from '@app/platform';
import { isOver } from '../../aggregates/tokens.js';
import { OrganizationsProjection } from '../../projections/organizations.projection.js';
import { UsersProjection } from '../../projections/users.projection.js';
import { mayIn } from '../may-in.js';
import { Sessions } from './sessions.js';

/**
 * Tells whether credentials are still valid. It uses only the read models, so it can be called
 * often. A new password, a new passcode, and the end of a session end running work, as they make
 * new requests fail.
 */
@Injectable()
export class Standing extends CallerStanding {
  constructor(
    private readonly organizations: OrganizationsProjection,
    private readonly users: UsersProjection,
    private readonly sessions: Sessions,
  ) {
    super();
  }

  of(request: AuthenticatedRequest): () => boolean {
    const caller = callerOf(request);
    const { id } = organizationOf(request);
    const permission = request.access as Permission;
    const isKnown = this.knownBy(request, caller, id);
    return () => {
      const organization = this.organizations.get(id);
      return organization !== undefined && isKnown() && mayIn(organization, caller, permission);
    };
  }

  private knownBy(
    request: AuthenticatedRequest,
    caller: Caller,
    organizationId: string,
  ): () => boolean {
    const { authorization } = request.headers;
    if (authorization === undefined && this.sessions.of(request))
      return () => this.sessions.of(request) !== undefined;
    if (caller.token) return () => this.hasToken(organizationId, caller);
    const { credential } = this.users.byId(caller.userId) ?? {};
    const passcode = this.passcodeOf(organizationId);
    return () => {
      const user = this.users.byId(caller.userId);
      if (user === undefined) return false;
      return caller.byPasscode
        ? this.passcodeOf(organizationId) === passcode
        : user.credential === credential;
    };
  }

  private passcodeOf(organizationId: string): string | undefined {
    return this.organizations.get(organizationId)?.passcode;
  }

  private hasToken(organizationId: string, { userId }: Caller): boolean {
    const { tokens } = this.organizations.get(organizationId) ?? {};
    const now = new Date().toISOString();
    for (const token of tokens?.values() ?? [])
      if (userId.endsWith(` ${token.tokenId}`)) return !isOver(token, now);
    return false;
  }
}
