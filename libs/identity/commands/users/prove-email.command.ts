import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import { MillraceError, type Caller, type RequestOrganization } from '@app/platform';
import { AccountOwners } from '../../people/account-owners.js';
import { Accounts } from '../../people/accounts.js';
import { OrganizationsProjection } from '../../projections/organizations.projection.js';
import { UsersProjection } from '../../projections/users.projection.js';

/** Marks the e-mail of an account as proven. The account may then be invited. */
export class ProveEmail {
  constructor(
    readonly caller: Caller,
    readonly organization: RequestOrganization,
    readonly email: string,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(ProveEmail)
export class ProveEmailHandler implements ICommandHandler<ProveEmail, void> {
  constructor(
    private readonly accounts: Accounts,
    private readonly owners: AccountOwners,
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
  ) {}

  async execute({ caller, organization, email, context }: ProveEmail): Promise<void> {
    const user = this.users.byEmail(email);
    // A person who is not a member here is reported as not found.
    if (!user || !this.organizations.get(organization.id)?.members.has(user.id))
      throw new MillraceError('USER_NOT_FOUND', 'User not found');
    if (!this.owners.mayProve(caller, user))
      throw new MillraceError(
        'FORBIDDEN',
        'only root, or an admin of the organization that registered the account, marks its e-mail as proven; of an account that signed up, and of those it made before it was proven itself, only root',
      );
    await this.accounts.proveEmail(user.id, context);
  }
}
