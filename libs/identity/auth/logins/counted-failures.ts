import { Injectable } from '@nestjs/common';
import { addressPrefix, MillraceError } from '@app/platform';
import { PersonalData } from '../../people/personal-data.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../../projections/organizations.projection.js';
import { UsersProjection, type User } from '../../projections/users.projection.js';
import { DEFAULT_ORGANIZATION } from '../default-organization.js';
import { FailedLogins } from '../throttle/failed-logins.js';
import type { LoginAttempt, TokenAttempt } from './login-attempt.js';

/** Counts failed logins for the organization that will see them. */
@Injectable()
export class CountedFailures {
  constructor(
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
    private readonly people: PersonalData,
    private readonly failures: FailedLogins,
  ) {}

  count(attempt: LoginAttempt, outcome: 'failed' | 'refused'): void {
    const { email, address, userAgent, requestId } = attempt;
    const user = this.users.byEmail(email);
    const login = {
      account: this.people.emailHash(email),
      userId: user?.id,
      organizationId: this.concerned(user, attempt.organization)?.id,
      address,
      prefix: addressPrefix(address).prefix,
      userAgent,
      requestId,
    };
    this.failures.count(login, outcome);
  }

  /** An organization can see that one of its own tokens was sent after it had expired. */
  countToken(
    { address, userAgent, requestId }: TokenAttempt,
    own: Organization | undefined,
    outcome: 'failed' | 'refused',
  ): void {
    const concerned = own ?? this.organizations.find(DEFAULT_ORGANIZATION);
    const login = {
      account: 'token',
      token: true as const,
      userId: undefined,
      organizationId: concerned?.id,
      address,
      prefix: addressPrefix(address).prefix,
      userAgent,
      requestId,
    };
    this.failures.count(login, outcome);
  }

  /**
   * A failure is shown to the organization of the request if the account is its member, and
   * otherwise to the operators of `default`.
   */
  private concerned(user: User | undefined, name: string | undefined): Organization | undefined {
    const named = name === undefined ? undefined : this.organizations.find(name);
    const isMembers = user !== undefined && named?.members.has(user.id);
    return isMembers ? named : this.organizations.find(DEFAULT_ORGANIZATION);
  }
}

export const isTooMany = (error: unknown): boolean =>
  error instanceof MillraceError && error.kind === 'TOO_MANY_REQUESTS';
