import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { stepOf, type CommandContext } from '@app/event-store';
import { MillraceError, type Caller } from '@app/platform';
import type { Role } from '../../aggregates/roles.js';
import { mayDo } from '../../aggregates/roles.js';
import { AccountOwners } from '../../people/account-owners.js';
import { InvitationService } from '../../people/invitation-service.js';
import { Memberships } from '../../people/memberships.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../../projections/organizations.projection.js';
import { UsersProjection, type User } from '../../projections/users.projection.js';

/**
 * Makes an account a member with a role, or invites it. An organization that does not exist is
 * created, with the caller as its admin.
 */
export class PutMember {
  constructor(
    readonly caller: Caller,
    readonly organization: string,
    readonly email: string,
    readonly role: Role,
    readonly context: CommandContext,
  ) {}
}

/**
 * Root adds any account. Other admins add the accounts that they administer, and invite every other
 * e-mail. They do not learn whether it has an account.
 */
@CommandHandler(PutMember)
export class PutMemberHandler implements ICommandHandler<PutMember, 'added' | 'invited'> {
  constructor(
    private readonly memberships: Memberships,
    private readonly invitations: InvitationService,
    private readonly owners: AccountOwners,
    private readonly organizations: OrganizationsProjection,
    private readonly users: UsersProjection,
  ) {}

  async execute(command: PutMember): Promise<'added' | 'invited'> {
    const { caller, email, role, context } = command;
    const existing = this.organizations.find(command.organization);
    if (existing) mayManage(caller, existing.members.get(caller.userId), command.organization);
    const user = this.users.byEmail(email);
    if (caller.root) mayBeAdded(user);
    // This is checked before an organization is made for the member.
    if (!existing && user?.id !== caller.userId) this.invitations.checkParticipation(caller);
    const organization = existing ?? (await this.create(command));
    const isMember = user && this.organizations.get(organization.id)?.members.has(user.id);
    const isTheirs = user && this.owners.administers(caller, user);
    if (!user || (!isMember && !isTheirs)) {
      await this.invitations.invite(organization.id, { caller, email, role }, context);
      return 'invited';
    }
    const isFounder = !existing && user.id === caller.userId;
    const newRole = isFounder ? 'admin' : role;
    // The founder's own command has this id already.
    const step = stepOf(context, 'member');
    const options = { evenTheLastAdmin: caller.root, onlyMembers: !isTheirs };
    await this.memberships.put(organization.id, user.id, newRole, step, options);
    return 'added';
  }

  private async create({ caller, organization: name, context }: PutMember): Promise<Organization> {
    const founder = caller.root ? undefined : caller.userId;
    const organization = await this.memberships.create(name, founder, context);
    // If another request was faster, the organization is theirs.
    mayManage(caller, organization.members.get(caller.userId), name);
    return organization;
  }
}

/** Refuses an account that does not exist; only root is told so. */
function mayBeAdded(user: User | undefined): asserts user is User {
  if (!user) throw new MillraceError('USER_NOT_FOUND', 'User not found');
  if (user.root)
    throw new MillraceError('FORBIDDEN', 'the root account is in every organization already');
}

function mayManage(caller: Caller, role: Role | undefined, name: string): void {
  if (caller.root || (role !== undefined && mayDo(role, 'manage-organization'))) return;
  throw new MillraceError(
    'FORBIDDEN',
    `you may not do this in organization ${name}, or there is no such organization`,
  );
}
