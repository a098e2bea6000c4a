import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '@app/event-store';
import { MillraceError, type Caller, type RequestOrganization } from '@app/platform';
import type { Role } from '../../aggregates/roles.js';
import type { Profile } from '../../aggregates/user.aggregate.js';
import { DEFAULT_ORGANIZATION } from '../../auth/default-organization.js';
import { AccountOwners } from '../../people/account-owners.js';
import { Accounts } from '../../people/accounts.js';
import { Invitations } from '../../people/invitation-commands.js';
import { Memberships } from '../../people/memberships.js';
import { OrganizationsProjection } from '../../projections/organizations.projection.js';
import { UsersProjection, type User } from '../../projections/users.projection.js';

/** Registers an account and makes it a member; one that others have is invited. */
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
    private readonly invitations: Invitations,
    private readonly owners: AccountOwners,
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
  ) {}

  async execute(command: AddUser): Promise<'added' | 'invited'> {
    const { caller, organization, account, role, context } = command;
    const home = this.organizations.find(DEFAULT_ORGANIZATION);
    if (!home) throw new MillraceError('NOT_READY', 'organization default is not there yet');
    const existing = this.users.byEmail(account.email);
    if (existing && !this.maySee(command, existing)) {
      await this.invitations.invite(organization.id, { caller, ...account, role }, context);
      return 'invited';
    }
    // An account that is not proven proves nobody else.
    const unproven = !this.users.isProven(caller.userId);
    const userId = await this.accounts.register({ ...account, root: false, unproven }, context);
    if (home.id !== organization.id) await this.memberships.put(home.id, userId, 'viewer', context);
    await this.memberships.put(organization.id, userId, role, context);
    return 'added';
  }

  /** Says whether the caller may be told that the account exists. */
  private maySee({ caller, organization }: AddUser, user: User): boolean {
    const members = this.organizations.get(organization.id)?.members;
    return members?.has(user.id) === true || this.owners.administers(caller, user);
  }
}
