import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import { MillraceError, type Caller, type RequestOrganization } from '@app/platform';
import type { Role } from '../../aggregates/roles.js';
import { Login } from '../../auth/login.js';
import { AccountOwners, CHANGES_OF_ADMINS } from '../../people/account-owners.js';
import { Accounts } from '../../people/accounts.js';
import { Memberships } from '../../people/memberships.js';
import type { User } from '../../projections/users.projection.js';

export interface UserChanges {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly role?: Role;
  readonly oldPassword?: string;
  readonly newPassword?: string;
}

/** Changes an account's names or password, or its role in the organization. */
export class UpdateUser {
  constructor(
    readonly caller: Caller,
    readonly organization: RequestOrganization,
    readonly email: string,
    readonly changes: UserChanges,
    readonly context: CommandContext,
  ) {}
}

/**
 * The organization decides alone about a role. Names and password are the account's, which belongs
 * to all its organizations: a caller who does not own it must administer every one of them, so that
 * no tenant's admin can take over what is another's too ({@link AccountOwners}).
 */
@CommandHandler(UpdateUser)
export class UpdateUserHandler implements ICommandHandler<UpdateUser, void> {
  constructor(
    private readonly accounts: Accounts,
    private readonly memberships: Memberships,
    private readonly owners: AccountOwners,
    private readonly login: Login,
  ) {}

  async execute(command: UpdateUser): Promise<void> {
    const { caller, organization, email, changes, context } = command;
    const user = this.owners.memberOf(organization, email, caller);
    const { firstName, lastName, role, newPassword } = changes;
    const renamed = firstName !== undefined || lastName !== undefined;
    // Everything is checked before anything changes.
    if (role !== undefined) this.mayChangeRole(command, user);
    if (renamed || newPassword !== undefined) this.mayChangeAccount(caller, user);
    if (newPassword !== undefined && caller.userId === user.id)
      await this.checkOldPassword(user, changes.oldPassword, context.address);
    if (role !== undefined) {
      const options = { evenTheLastAdmin: caller.root, onlyMembers: true };
      await this.memberships.put(organization.id, user.id, role, context, options);
    }
    if (!renamed && newPassword === undefined) return;
    const profile = {
      email: user.email,
      firstName: firstName ?? user.firstName,
      lastName: lastName ?? user.lastName,
    };
    await this.accounts.change(
      user.id,
      {
        ...(renamed ? { profile } : {}),
        ...(newPassword === undefined ? {} : { password: newPassword }),
      },
      context,
    );
  }

  private mayChangeRole({ organization }: UpdateUser, user: User): void {
    if (!organization.administered)
      throw new MillraceError('FORBIDDEN', 'only an admin of the organization changes roles');
    if (user.root)
      throw new MillraceError('FORBIDDEN', 'the root account has no role that could be changed');
  }

  private mayChangeAccount(caller: Caller, user: User): void {
    if (!this.owners.mayChange(caller, user))
      throw new MillraceError('FORBIDDEN', CHANGES_OF_ADMINS);
  }

  private async checkOldPassword(
    user: User,
    oldPassword: string | undefined,
    address = '',
  ): Promise<void> {
    if (oldPassword === undefined)
      throw new MillraceError('INVALID_PARAMETER', 'old_password: send the present password too');
    if (!(await this.login.confirm(user.email, oldPassword, address)))
      throw new MillraceError(
        'INVALID_PARAMETER',
        'old_password: this is not the present password',
      );
  }
}
