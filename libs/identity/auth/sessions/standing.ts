import { Injectable } from '@nestjs/common';
import {
  callerOf,
  CallerStanding,
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
    const isKnown = this.knownBy(request, caller);
    return () => isKnown() && this.may(request, caller);
  }

  /**
   * A route without an organization decides by itself what the account may do. Other routes allow
   * admins more than they ask for, except for uploads.
   */
  private may({ organization: asked, access }: AuthenticatedRequest, caller: Caller): boolean {
    if (!asked) return true;
    const organization = this.organizations.get(asked.id);
    if (!organization || !mayIn(organization, caller, access as Permission)) return false;
    const isAdmin = asked.administered === true && access !== 'upload';
    return !isAdmin || mayIn(organization, caller, 'manage-organization');
  }

  private knownBy(request: AuthenticatedRequest, caller: Caller): () => boolean {
    // Without this header the guard has let a session in, which it has just opened.
    if (request.headers.authorization === undefined)
      return () => this.sessions.of(request) !== undefined;
    if (caller.token) return () => this.hasToken(caller);
    const { credential } = this.users.byId(caller.userId) ?? {};
    const passcode = this.passcodeOf(request);
    return () => {
      const user = this.users.byId(caller.userId);
      if (user === undefined) return false;
      return caller.byPasscode
        ? this.passcodeOf(request) === passcode
        : user.credential === credential;
    };
  }

  private passcodeOf({ organization }: AuthenticatedRequest): string | undefined {
    return organization && this.organizations.get(organization.id)?.passcode;
  }

  private hasToken({ userId, token: shown }: Caller): boolean {
    const { tokens } = this.organizations.get(shown?.organizationId ?? '') ?? {};
    const now = new Date().toISOString();
    for (const token of tokens?.values() ?? [])
      if (userId.endsWith(` ${token.tokenId}`)) return !isOver(token, now);
    return false;
  }
}
