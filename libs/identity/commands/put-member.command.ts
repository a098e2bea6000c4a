import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { stepOf, type CommandContext } from '@app/event-store';
import { MillraceError, type Caller } from '@app/platform';
import type { Role } from '../aggregates/roles.js';
import { mayDo } from '../aggregates/roles.js';
import { Memberships } from '../people/memberships.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../projections/organizations.projection.js';
import { UsersProjection } from '../projections/users.projection.js';

/** Makes an account a member with a role; an organization that is not there is made, with the caller as its admin. */
export class PutMember {
  constructor(
    readonly caller: Caller,
    readonly organization: string,
    readonly email: string,
    readonly role: Role,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(PutMember)
export class PutMemberHandler implements ICommandHandler<PutMember, void> {
  constructor(
    private readonly memberships: Memberships,
    private readonly organizations: OrganizationsProjection,
    private readonly users: UsersProjection,
  ) {}

  async execute(command: PutMember): Promise<void> {
    const { caller, role, context } = command;
    const existing = this.organizations.find(command.organization);
    if (existing) mayManage(caller, existing.members.get(caller.userId), command.organization);
    const user = this.users.byEmail(command.email);
    if (!user) throw new MillraceError('USER_NOT_FOUND', 'User not found');
    if (user.root)
      throw new MillraceError('FORBIDDEN', 'the root account is in every organization already');
    const organization = existing ?? (await this.create(command));
    const isFounder = !existing && user.id === caller.userId;
    // The founder's own step has this id already.
    const step = stepOf(context, 'member');
    await this.memberships.put(organization.id, user.id, isFounder ? 'admin' : role, step);
  }

  private async create({ caller, organization: name, context }: PutMember): Promise<Organization> {
    const founder = caller.root ? undefined : caller.userId;
    const organization = await this.memberships.create(name, founder, context);
    // When somebody else was faster it is theirs.
    mayManage(caller, organization.members.get(caller.userId), name);
    return organization;
  }
}

function mayManage(caller: Caller, role: Role | undefined, name: string): void {
  if (caller.root || (role !== undefined && mayDo(role, 'manage-organization'))) return;
  throw new MillraceError(
    'FORBIDDEN',
    `you may not do this in organization ${name}, or there is no such organization`,
  );
}
