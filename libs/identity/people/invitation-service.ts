import { Injectable } from '@nestjs/common';
import { stepOf, type CommandContext } from '@app/event-store';
import { KeyedMutex } from '@app/flow';
import { type Caller, MillraceError, type RequestOrganization, ulid } from '@app/platform';
import { INVITATION_DAYS, noInvitation, type Invitation } from '../aggregates/invitations.js';
import type { Role } from '../aggregates/roles.js';
import { InvitationsProjection } from '../projections/invitations.projection.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';
import { UsersProjection } from '../projections/users.projection.js';
import { Memberships } from './memberships.js';
import { PersonalData } from './personal-data.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** This many organizations may invite the same e-mail at a time. */
const INVITATIONS_PER_EMAIL = 50;

/** An invitation as the organization sees it: the same whether there is such an account or not. */
export interface SentInvitation extends Invitation {
  readonly email: string;
}

/** Invites people by their e-mail, and carries out their answers. */
@Injectable()
export class InvitationService {
  private readonly queue = new KeyedMutex();

  constructor(
    private readonly memberships: Memberships,
    private readonly people: PersonalData,
    private readonly invitations: InvitationsProjection,
    private readonly organizations: OrganizationsProjection,
    private readonly users: UsersProjection,
  ) {}

  /**
   * Refuses an account whose e-mail is not proven. It cannot see the invitations to this e-mail, or
   * answer them. It cannot invite others either, because strangers could then keep an e-mail from
   * being invited by anybody else.
   * @throws {MillraceError} FORBIDDEN, whether there is an invitation or not
   */
  checkParticipation({ userId }: Caller): void {
    if (this.users.isProven(userId)) return;
    throw new MillraceError(
      'FORBIDDEN',
      'nobody has proven yet that your e-mail address is yours, so you can neither invite nor be invited; ask the operator of this server to mark it as proven',
    );
  }

  /** Does the same, and takes as long, whether there is such an account or not. */
  async invite(
    organizationId: string,
    {
      caller,
      email,
      role,
    }: { readonly caller: Caller; readonly email: string; readonly role: Role },
    context: CommandContext,
  ): Promise<void> {
    this.checkParticipation(caller);
    const emailHash = this.people.emailHash(email);
    // Invitations run one after the other, so that their number stays bounded.
    await this.queue.run(emailHash, async () => {
      const asking = this.invitations.organizationsInviting(emailHash);
      if (!asking.includes(organizationId) && asking.length >= INVITATIONS_PER_EMAIL)
        throw new MillraceError(
          'TOO_MANY_REQUESTS',
          'as many organizations have invited this e-mail as may at a time; try again when invitations have expired',
          { retryAfterSeconds: DAY_MS / 1000 },
        );
      const invitationId = ulid();
      const wanted = {
        invitationId,
        emailHash,
        invitee: await this.people.sealInvitee(invitationId, email),
        role,
        invitedBy: caller.userId,
        invitedAt: context.occurredAt,
        expiresAt: new Date(
          Date.parse(context.occurredAt) + INVITATION_DAYS * DAY_MS,
        ).toISOString(),
      };
      const step = stepOf(context, 'invite');
      const kept = await this.memberships
        .invite(organizationId, wanted, step)
        .catch(async (error: unknown) => {
          await this.forgetUnlessKept(wanted, undefined, error);
          throw error;
        });
      await this.forgetUnlessKept(wanted, kept);
    });
  }

  /** The invitations that the caller may answer. */
  received(caller: Caller): readonly Invitation[] {
    this.checkParticipation(caller);
    const { email } = caller;
    return this.invitations
      .forPerson(this.people.emailHash(email))
      .filter(({ organizationId }) => this.organizations.get(organizationId));
  }

  /** The invitations that nobody has accepted yet, newest first. */
  async sent({ id }: RequestOrganization): Promise<readonly SentInvitation[]> {
    const sent: SentInvitation[] = [];
    for (const invitation of this.invitations.of(id)) {
      await this.people.learnInvitee(invitation);
      const email = this.people.invitee(invitation);
      if (email !== undefined) sent.push({ ...invitation, email });
    }
    return sent.sort((a, b) => (a.invitedAt < b.invitedAt ? 1 : -1));
  }

  /** @throws {MillraceError} INVITATION_NOT_FOUND, also where there is no such organization */
  async accept(caller: Caller, name: string, context: CommandContext): Promise<void> {
    if (caller.root)
      throw new MillraceError('FORBIDDEN', 'the root account is in every organization already');
    const organization = this.organizations.find(name);
    const invitation = this.receivedFrom(caller, name);
    // If the same command is sent again, it finds a member and has nothing to do.
    const isMember = organization?.members.has(caller.userId) ?? false;
    if (!organization || (!invitation && !isMember)) throw noInvitation();
    const accepted = {
      invitationId: invitation?.invitationId,
      emailHash: this.people.emailHash(caller.email),
      userId: caller.userId,
    };
    await this.memberships.accept(organization.id, accepted, stepOf(context, 'accept'));
  }

  /** @throws {MillraceError} INVITATION_NOT_FOUND, also where there is no such organization */
  async decline(caller: Caller, name: string, context: CommandContext): Promise<void> {
    const invitation = this.receivedFrom(caller, name);
    if (!invitation) throw noInvitation();
    await this.memberships.decline(caller.userId, invitation, stepOf(context, 'decline'));
  }

  /** @throws {MillraceError} INVITATION_NOT_FOUND */
  async withdraw({ id }: RequestOrganization, email: string, context: CommandContext) {
    const emailHash = this.people.emailHash(email);
    await this.memberships.withdrawInvitation(id, emailHash, stepOf(context, 'withdraw'));
  }

  /** All invitations of this e-mail, from all organizations. */
  async withdrawAll(email: string, context: CommandContext): Promise<void> {
    const emailHash = this.people.emailHash(email);
    for (const organizationId of this.invitations.organizationsInviting(emailHash))
      await this.memberships
        .withdrawInvitation(organizationId, emailHash, stepOf(context, 'withdraw'))
        .catch(unlessOver);
  }

  private receivedFrom(caller: Caller, name: string): Invitation | undefined {
    const id = this.organizations.find(name)?.id;
    return this.received(caller).find(({ organizationId }) => organizationId === id);
  }

  /** A key that no invitation uses would never be deleted. */
  private async forgetUnlessKept(
    { invitationId, emailHash }: Pick<Invitation, 'invitationId' | 'emailHash'>,
    kept: ReadonlyMap<string, Invitation> | undefined,
    error?: unknown,
  ): Promise<void> {
    // The event may be stored all the same, if only a read model could not follow.
    const undecided = error !== undefined && !isRefusal(error);
    if (undecided || kept?.get(emailHash)?.invitationId === invitationId) return;
    await this.people.forgetInvitee(invitationId);
  }
}

const SERVER_ERROR = 500;

function isRefusal(error: unknown): boolean {
  return error instanceof MillraceError && error.status < SERVER_ERROR;
}

/** The invitation was answered or withdrawn meanwhile, or its organization was deleted. */
function unlessOver(error: unknown): void {
  const isOver =
    error instanceof MillraceError &&
    (error.kind === 'INVITATION_NOT_FOUND' || error.kind === 'ORGANIZATION_NOT_FOUND');
  if (!isOver) throw error;
}
