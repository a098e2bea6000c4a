import { Inject, Injectable } from '@nestjs/common';
import { CommandPipeline, stepOf, type CommandContext } from '@app/event-store';
import { KeyedMutex } from '@app/flow';
import { MillraceError, type RequestOrganization, ulid } from '@app/platform';
import {
  organizationAggregate,
  type OrganizationCommand,
  type OrganizationState,
} from '../aggregates/organization.aggregate.js';
import type { Invitation, PendingInvitations } from '../aggregates/invitations.js';
import {
  organizationNameReservation,
  organizationNameStream,
} from '../aggregates/reserved-names.js';
import type { Role } from '../aggregates/roles.js';
import type { Token, Tokens } from '../aggregates/tokens.js';
import { userAggregate } from '../aggregates/user.aggregate.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../projections/organizations.projection.js';
import { UsersProjection } from '../projections/users.projection.js';
import { DEFAULT_ORGANIZATION } from '../auth/default-organization.js';
import { ACCOUNT_BOUNDS, type AccountBounds } from './account-bounds.settings.js';
import { DatabaseNames } from './database-names.js';
import { Passcodes } from './passcode.js';

/** Changes organizations and who belongs to them. */
@Injectable()
export class Memberships {
  private readonly founding = new KeyedMutex();

  constructor(
    private readonly pipeline: CommandPipeline,
    private readonly organizations: OrganizationsProjection,
    private readonly passcodes: Passcodes,
    private readonly users: UsersProjection,
    private readonly names: DatabaseNames,
    @Inject(ACCOUNT_BOUNDS) private readonly bounds: AccountBounds,
  ) {}

  /**
   * Finds the organization that every account belongs to.
   * @throws {MillraceError} NOT_READY at the first start, before it is made
   */
  home(): Organization {
    const home = this.organizations.find(DEFAULT_ORGANIZATION);
    if (!home) throw new MillraceError('NOT_READY', 'organization default is not there yet');
    return home;
  }

  /**
   * Makes the organization unless it exists. Those of one tenant are made one after the other, so
   * that concurrent requests at this node cannot exceed the limit.
   * @param founder its first admin; root needs none
   * @throws {MillraceError} LIMIT_REACHED when the founder's tenant has as many as it may
   */
  async create(
    wanted: string,
    founder: string | undefined,
    context: CommandContext,
  ): Promise<Organization> {
    if (founder === undefined) return this.make(wanted, {}, context);
    const tenant = this.users.tenantOf(founder);
    return this.founding.run(tenant, () => {
      const existing = this.organizations.find(wanted);
      if (existing) return Promise.resolve(existing);
      const { organizations: most } = this.bounds;
      if (this.organizations.foundedFor(tenant) >= most) throw tooManyOrganizations(most);
      return this.make(wanted, { founder, tenant }, context);
    });
  }

  /**
   * Makes an organization. Its name is reserved first, so that a name belongs to one organization.
   * A deleted organization gives its name back; if a crash prevented that, the next request for the
   * name does it.
   */
  private async make(
    wanted: string,
    { founder, tenant }: { readonly founder?: string; readonly tenant?: string },
    context: CommandContext,
  ): Promise<Organization> {
    const id = await this.reserve(wanted, context);
    const command: OrganizationCommand = {
      type: 'create',
      organization: {
        id,
        name: wanted,
        database: this.names.newDatabase(),
        ...(tenant === undefined ? {} : { tenant }),
      },
      passcode: this.passcodes.make(id),
      ...(founder === undefined ? {} : { founder }),
    };
    await this.change(id, command, context);
    const organization = this.organizations.get(id);
    if (!organization)
      throw new MillraceError('CONFLICT', `organization ${wanted} is being made; try again`);
    return organization;
  }

  private async reserve(wanted: string, context: CommandContext): Promise<string> {
    for (const step of [context, stepOf(context, 'reserve-again')]) {
      const holder = await this.pipeline.handle({
        decider: organizationNameReservation,
        stream: organizationNameStream(wanted),
        command: { type: 'reserve', holder: ulid() },
        context: step,
      });
      if (holder !== undefined && !this.organizations.isDeleted(holder)) return holder;
      // There is no name: the same command has reserved it before, for an organization that is
      // deleted by now.
      if (holder !== undefined) await this.release(wanted, holder, context);
    }
    throw new MillraceError('CONFLICT', `organization ${wanted} is being deleted; try again`);
  }

  private async release(wanted: string, holder: string, context: CommandContext): Promise<void> {
    await this.pipeline.handle({
      decider: organizationNameReservation,
      stream: organizationNameStream(wanted),
      command: { type: 'release', holder },
      context: stepOf(context, 'release'),
      isReservation: true,
    });
  }

  /** @param displayName the name that people are shown; the name in requests stays */
  async rename(id: string, displayName: string, context: CommandContext): Promise<void> {
    await this.change(id, { type: 'rename', displayName }, context);
  }

  /**
   * Deletes the organization and its data. When the promise resolves, this node's read models have
   * nothing of it. Its audit trail is deleted, too, so the event is recorded in the trail of
   * `default`.
   * @param admin the admin who deletes it; undefined: root
   * @throws {MillraceError} FORBIDDEN when the user is no longer an admin; ORGANIZATION_NOT_FOUND
   */
  async delete(
    { id, name: wanted }: RequestOrganization,
    admin: string | undefined,
    { organizationId: _, ...context }: CommandContext,
  ): Promise<void> {
    await this.pipeline.handle({
      decider: organizationAggregate,
      stream: `organization-${id}`,
      command: { type: 'delete', admin },
      context,
    });
    await this.release(wanted, id, context);
  }

  async rotatePasscode(id: string, context: CommandContext): Promise<void> {
    const passcode = this.passcodes.make(id);
    await this.change(id, { type: 'rotate-passcode', passcode }, context);
  }

  /**
   * Gives the account this role, whatever its role was before.
   * @throws {MillraceError} FORBIDDEN for the last admin, unless root says so; USER_NOT_FOUND when
   *   they have left or are erased meanwhile
   */
  async put(
    id: string,
    userId: string,
    role: Role,
    context: CommandContext,
    options: { readonly evenTheLastAdmin?: boolean; readonly onlyMembers?: boolean } = {},
  ): Promise<void> {
    const command = { type: 'put-user', userId, role, ...options } as const;
    await this.change(id, { ...command, ...this.emailHashOf(userId) }, context);
    await this.leaveIfErased(id, userId, context);
  }

  /**
   * @throws {MillraceError} FORBIDDEN for the last admin, unless root asks, or the account itself
   *   is deleted
   */
  async remove(
    id: string,
    userId: string,
    context: CommandContext,
    evenTheLastAdmin = false,
  ): Promise<void> {
    const command = { type: 'remove-user', userId, evenTheLastAdmin } as const;
    await this.change(id, { ...command, ...this.emailHashOf(userId) }, context);
  }

  /** @returns the invitations that are then pending */
  async invite(
    id: string,
    invitation: Omit<Invitation, 'organizationId'>,
    context: CommandContext,
  ): Promise<PendingInvitations> {
    const { invitations } = await this.change(id, { type: 'invite', invitation }, context);
    return invitations;
  }

  /** @throws {MillraceError} INVITATION_NOT_FOUND; USER_NOT_FOUND when the account is erased meanwhile */
  async accept(
    id: string,
    accepted: {
      readonly invitationId: string | undefined;
      readonly emailHash: string;
      readonly userId: string;
    },
    context: CommandContext,
  ): Promise<void> {
    const command = { type: 'accept-invitation', now: context.occurredAt, ...accepted } as const;
    await this.change(id, command, context);
    await this.leaveIfErased(id, accepted.userId, context);
  }

  /** @throws {MillraceError} INVITATION_NOT_FOUND */
  async decline(
    userId: string,
    { organizationId, invitationId }: Pick<Invitation, 'organizationId' | 'invitationId'>,
    context: CommandContext,
  ): Promise<void> {
    await this.pipeline.handle({
      decider: userAggregate,
      stream: `user-${userId}`,
      command: { type: 'decline-invitation', organizationId, invitationId },
      context,
    });
  }

  /** @throws {MillraceError} INVITATION_NOT_FOUND */
  async withdrawInvitation(id: string, emailHash: string, context: CommandContext): Promise<void> {
    const now = context.occurredAt;
    await this.change(id, { type: 'withdraw-invitation', emailHash, now }, context);
  }

  /** @returns the tokens that then exist. @throws {MillraceError} ALREADY_EXISTS, LIMIT_REACHED */
  async makeToken(
    id: string,
    token: Omit<Token, 'organizationId'>,
    context: CommandContext,
  ): Promise<Tokens> {
    return (await this.change(id, { type: 'make-token', token }, context)).tokens;
  }

  /** Makes the token invalid. @throws {MillraceError} TOKEN_NOT_FOUND */
  async revokeToken(id: string, tokenName: string, context: CommandContext): Promise<void> {
    await this.change(id, { type: 'revoke-token', name: tokenName }, context);
  }

  private emailHashOf(userId: string): { readonly emailHash?: string } {
    const emailHash = this.users.emailHashOf(userId);
    return emailHash === undefined ? {} : { emailHash };
  }

  /**
   * A person who joins while their account is erased would stay a member without an account. One of
   * the two events is the first, and the process that stored the other one sees it here, or where
   * accounts are erased.
   */
  private async leaveIfErased(id: string, userId: string, context: CommandContext): Promise<void> {
    if (!this.users.isErased(userId)) return;
    await this.remove(id, userId, stepOf(context, 'erased'), true);
    throw new MillraceError('USER_NOT_FOUND', 'User not found');
  }

  private change(
    id: string,
    command: OrganizationCommand,
    context: CommandContext,
  ): Promise<OrganizationState> {
    return this.pipeline.handle({
      decider: organizationAggregate,
      stream: `organization-${id}`,
      command,
      context: { ...context, organizationId: id },
    });
  }
}

const tooManyOrganizations = (most: number): MillraceError =>
  new MillraceError(
    'LIMIT_REACHED',
    `an account, with those that it has made, may found at most ${most} organizations (MILLRACE_ACCOUNT_ORGANIZATIONS); use one of those, or ask the operator of the server for more`,
  );
