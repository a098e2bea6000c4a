import { Injectable } from '@nestjs/common';
import { Passcodes } from '../../people/passcode.js';
import { OrganizationsProjection } from '../../projections/organizations.projection.js';
import { UsersProjection, type User } from '../../projections/users.projection.js';
import type { LoginAttempt } from './login-attempt.js';

/** Compares what is sent with the passcode of the organization that a request is for. */
@Injectable()
export class PasscodeLogin {
  constructor(
    private readonly passcodes: Passcodes,
    private readonly organizations: OrganizationsProjection,
    private readonly users: UsersProjection,
  ) {}

  /** The passcode belongs to the organization. It is valid for its members, and for root. */
  find({ email, secret, organization: name }: LoginAttempt): User | undefined {
    const organization = name === undefined ? undefined : this.organizations.find(name);
    if (!organization || !this.passcodes.matches(organization, secret)) return undefined;
    const user = this.users.byEmail(email);
    return user && (user.root || organization.members.has(user.id)) ? user : undefined;
  }
}
