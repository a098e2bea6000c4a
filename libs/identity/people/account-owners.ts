import { Injectable } from '@nestjs/common';
import { MillraceError, type Caller, type RequestOrganization } from '@app/platform';
import { DEFAULT_ORGANIZATION } from '../auth/default-organization.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../projections/organizations.projection.js';
import { UsersProjection, type User } from '../projections/users.projection.js';

export const CHANGES_OF_ADMINS =
  'you may change names and password of accounts only when you administer all their organizations';

/** Decides who may see other people's accounts, and who may change them. */
@Injectable()
export class AccountOwners {
  constructor(
    private readonly organizations: OrganizationsProjection,
    private readonly users: UsersProjection,
  ) {}

  /**
   * Finds a member. A person who is not a member here is reported as not found, so that nobody
   * learns who has an account. A caller who is no admin here is refused whether or not there is such
   * a person: nearly everybody is a member of `default`.
   * @throws {MillraceError} USER_NOT_FOUND, FORBIDDEN
   */
  memberOf({ id, administered }: RequestOrganization, email: string, caller: Caller): User {
    const user = this.users.byEmail(email);
    const members = this.organizations.get(id)?.members;
    const isHere = user && (members?.has(user.id) === true || (user.root && caller.root));
    if (isHere && (administered || this.mayChange(caller, user))) return user;
    if (!administered) throw new MillraceError('FORBIDDEN', CHANGES_OF_ADMINS);
    throw new MillraceError('USER_NOT_FOUND', 'User not found');
  }

  /** Tells whether the caller may change the names and the password of the account. */
  mayChange(caller: Caller, user: User): boolean {
    return caller.userId === user.id || this.administers(caller, user);
  }

  /** Tells whether the caller may know that the account exists. */
  maySee({ id }: RequestOrganization, user: User, caller: Caller): boolean {
    const members = this.organizations.get(id)?.members;
    return members?.has(user.id) === true || this.administers(caller, user);
  }

  /**
   * Tells whether the caller administers all organizations that the account belongs to. Accounts
   * that somebody registered are viewers of `default`. This does not count for admins of the
   * organization that registered the account. For other callers it does count: otherwise an admin
   * could invite an account and get power over it.
   */
  administers(caller: Caller, user: User): boolean {
    if (caller.root) return true;
    if (user.root) return false;
    const all = this.organizations.of(user.id);
    const counted = all.filter((each) => !isViewerOfDefault(each, user.id));
    if (!counted.every((each) => isAdmin(each, caller))) return false;
    const home = this.homeOf(user);
    return (counted.length > 0 && counted.length === all.length) || isAdmin(home, caller);
  }

  /**
   * Tells whether the caller may say that the account's e-mail is proven: root, or an admin of its
   * home. An account that signed up is the admin of its own home, and so are the accounts that it
   * adds there. While the account behind them is not proven, only root may say so.
   */
  mayProve(caller: Caller, user: User): boolean {
    if (caller.root) return true;
    const isVouchedFor = [caller.userId, this.users.tenantOf(user.id)].every((id) =>
      this.users.isProven(id),
    );
    return isVouchedFor && isAdmin(this.homeOf(user), caller);
  }

  private homeOf({ registeredIn }: User): Organization | undefined {
    return registeredIn === undefined ? undefined : this.organizations.get(registeredIn);
  }
}

function isViewerOfDefault({ name, members }: Organization, userId: string): boolean {
  return name === DEFAULT_ORGANIZATION && members.get(userId) === 'viewer';
}

function isAdmin(organization: Organization | undefined, { userId }: Caller): boolean {
  return organization?.members.get(userId) === 'admin';
}
