import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { stepOf, type CommandContext } from '@app/event-store';
import { MillraceError, type Caller, type RequestOrganization } from '@app/platform';
import { DEFAULT_ORGANIZATION } from '../../auth/default-organization.js';
import { Accounts } from '../../people/accounts.js';
import { InvitationService } from '../../people/invitation-service.js';
import { Memberships } from '../../people/memberships.js';
import { OrganizationsProjection } from '../../projections/organizations.projection.js';
import { UsersProjection, type User } from '../../projections/users.projection.js';

/**
 * Removes an account from an organization. The account itself is deleted with its last membership.
 */
export class RemoveUser {
  constructor(
    readonly caller: Caller,
    readonly organization: RequestOrganization,
    readonly email: string,
    /** Removes the account from all organizations, and erases it. */
    readonly erase: boolean,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(RemoveUser)
export class RemoveUserHandler implements ICommandHandler<RemoveUser, void> {
  constructor(
    private readonly accounts: Accounts,
    private readonly memberships: Memberships,
    private readonly invitations: InvitationService,
    private readonly organizations: OrganizationsProjection,
    private readonly users: UsersProjection,
  ) {}

  async execute(command: RemoveUser): Promise<void> {
    const { caller, organization, erase, context } = command;
    const user = this.find(command);
    if (erase) {
      await this.leaveAll(user, context);
      await this.invitations.withdrawAll(user.email, context);
    } else {
      await this.memberships.remove(organization.id, user.id, context, caller.root);
    }
    if (this.organizations.of(user.id).length > 0) return;
    await this.accounts.erase(user.id, user.email, context);
    // These are organizations where they were added, or have accepted, meanwhile.
    await this.leaveAll(user, stepOf(context, 'erased'));
  }

  /**
   * Finds a member. A person who is not a member here is reported as not found. Root's membership
   * shows in `default` only.
   */
  private find({ caller, organization, email, erase }: RemoveUser): User {
    const user = this.users.byEmail(email);
    const seesRoot = caller.root || organization.name === DEFAULT_ORGANIZATION;
    if (user?.root && seesRoot)
      throw new MillraceError('FORBIDDEN', 'the root account cannot be removed');
    const isMember = user && this.organizations.get(organization.id)?.members.has(user.id);
    if (!user || user.root || (!isMember && !erase))
      throw new MillraceError('USER_NOT_FOUND', 'User for the organization not found');
    return user;
  }

  private async leaveAll(user: User, context: CommandContext): Promise<void> {
    for (const { id } of this.organizations.of(user.id))
      await this.memberships.remove(id, user.id, context, true).catch((error: unknown) => {
        // The organization was deleted meanwhile, and nobody is a member of it any more.
        if (!this.organizations.isDeleted(id)) throw error;
      });
  }
}
