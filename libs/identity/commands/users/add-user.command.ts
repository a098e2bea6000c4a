import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '@app/event-store';
import type { Caller, RequestOrganization } from '@app/platform';
import type { Role } from '../../aggregates/roles.js';
import type { Profile } from '../../aggregates/user.aggregate.js';
import { AccountOwners } from '../../people/account-owners.js';
import { Accounts } from '../../people/accounts.js';
import { InvitationService } from '../../people/invitation-service.js';
import { Memberships } from '../../people/memberships.js';
import { UsersProjection } from '../../projections/users.projection.js';

/**
 * Registers an account and makes it a member. An account that others have registered is invited.
 */
export class AddUser {
  constructor(
    readonly caller: Caller,
    readonly organization: RequestOrganization,
    readonly account: Profile & { readonly password: string },
    readonly role: Role,
    readonly context: CommandContext,
  ) {}
}

/** Every account belongs to `default` too, as a viewer, unless it was made there with another role. */
@CommandHandler(AddUser)
export class AddUserHandler implements ICommandHandler<AddUser, 'added' | 'invited'> {
  constructor(
    private readonly accounts: Accounts,
    private readonly memberships: Memberships,
    private readonly invitations: InvitationService,
    private readonly owners: AccountOwners,
    private readonly users: UsersProjection,
  ) {}

  async execute(command: AddUser): Promise<'added' | 'invited'> {
    const { caller, organization, account, role, context } = command;
    const home = this.memberships.home();
    const existing = this.users.byEmail(account.email);
    if (existing && !this.owners.maySee(organization, existing, caller)) {
      await this.invitations.invite(organization.id, { caller, ...account, role }, context);
      return 'invited';
    }
    // An account whose own e-mail is not proven cannot prove others.
    const unproven = !this.users.isProven(caller.userId);
    const userId = await this.accounts.register({ ...account, root: false, unproven }, context);
    if (home.id !== organization.id) await this.memberships.put(home.id, userId, 'viewer', context);
    await this.memberships.put(organization.id, userId, role, context);
    return 'added';
  }
}
