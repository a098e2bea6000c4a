import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '@app/event-store';
import { MillraceError, type RequestOrganization } from '@app/platform';
import type { Role } from '../aggregates/roles.js';
import type { Profile } from '../aggregates/user.aggregate.js';
import { DEFAULT_ORGANIZATION } from '../auth/default-organization.js';
import { Accounts } from '../people/accounts.js';
import { Memberships } from '../people/memberships.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';

/** Registers an account and makes it a member. */
export class AddUser {
  constructor(
    readonly organization: RequestOrganization,
    readonly account: Profile & { readonly password: string },
    readonly role: Role,
    readonly context: CommandContext,
  ) {}
}

/** Every account belongs to `default` too, as a member, unless it was made there with another role. */
@CommandHandler(AddUser)
export class AddUserHandler implements ICommandHandler<AddUser, void> {
  constructor(
    private readonly accounts: Accounts,
    private readonly memberships: Memberships,
    private readonly organizations: OrganizationsProjection,
  ) {}

  async execute({ organization, account, role, context }: AddUser): Promise<void> {
    const home = this.organizations.find(DEFAULT_ORGANIZATION);
    if (!home) throw new MillraceError('NOT_READY', 'organization default is not there yet');
    const userId = await this.accounts.register({ ...account, root: false }, context);
    if (home.id !== organization.id) await this.memberships.put(home.id, userId, 'member', context);
    await this.memberships.put(organization.id, userId, role, context);
  }
}
