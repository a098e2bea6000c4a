import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import { MillraceError, type RequestOrganization } from '@app/platform';
import { Accounts } from '../people/accounts.js';
import { Memberships } from '../people/memberships.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';
import { UsersProjection, type User } from '../projections/users.projection.js';

/** Takes an account out of an organization; the account itself goes with its last membership. */
export class RemoveUser {
  constructor(
    readonly organization: RequestOrganization,
    readonly email: string,
    /** Out of all organizations, and erased. */
    readonly erase: boolean,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(RemoveUser)
export class RemoveUserHandler implements ICommandHandler<RemoveUser, void> {
  constructor(
    private readonly accounts: Accounts,
    private readonly memberships: Memberships,
    private readonly organizations: OrganizationsProjection,
    private readonly users: UsersProjection,
  ) {}

  async execute({ organization, email, erase, context }: RemoveUser): Promise<void> {
    const user = this.users.byEmail(email);
    if (user?.root) throw new MillraceError('FORBIDDEN', 'the root account cannot be removed');
    const isMember = user && this.organizations.get(organization.id)?.members.has(user.id);
    if (!user || (!isMember && !erase))
      throw new MillraceError('USER_NOT_FOUND', 'User for the organization not found');
    if (erase) await this.removeEverywhere(user, context);
    else await this.memberships.remove(organization.id, user.id, context);
    if (this.organizations.of(user.id).length === 0)
      await this.accounts.erase(user.id, user.email, context);
  }

  private async removeEverywhere(user: User, context: CommandContext): Promise<void> {
    for (const { id } of this.organizations.of(user.id))
      await this.memberships.remove(id, user.id, context, true);
  }
}
