import { Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { contextOf } from '@app/event-store';
import {
  callerOf,
  Describe,
  organizationOf,
  Requires,
  RequiresAccount,
  type AuthenticatedRequest,
} from '@app/platform';
import type { Invitation } from '../aggregates/invitations.js';
import { AnswerInvitation } from '../commands/members/answer-invitation.command.js';
import { WithdrawInvitation } from '../commands/members/withdraw-invitation.command.js';
import { InvitationService } from '../people/invitation-service.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';
import { done, type Done } from './done.js';

interface InvitationRecord {
  readonly role: string;
  /** Microseconds since the epoch, both. */
  readonly invited_at: number;
  readonly expires_at: number;
}

interface ReceivedRecord extends InvitationRecord {
  readonly organization: string;
}

interface SentRecord extends InvitationRecord {
  readonly email: string;
}

const TAG = 'Invitations';
const EXAMPLE = {
  role: 'viewer',
  invited_at: 1_790_000_000_000_000,
  expires_at: 1_790_604_800_000_000,
};
const NOT_FOUND = { INVITATION_NOT_FOUND: 'there is no such invitation, or it is over' };

/**
 * The invited person answers here. Until then the organization knows only the e-mail that it typed.
 */
@Controller('api')
export class InvitationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly invitations: InvitationService,
    private readonly organizations: OrganizationsProjection,
  ) {}

  @Get('invitations')
  @RequiresAccount()
  @Describe({
    tag: TAG,
    summary: 'Organizations that have invited the caller, and wait for an answer',
    answer: { data: [{ organization: 'acme', ...EXAMPLE }] },
  })
  received(@Req() request: AuthenticatedRequest): { data: readonly ReceivedRecord[] } {
    const data = this.invitations.received(callerOf(request)).flatMap((each) => {
      const organization = this.organizations.get(each.organizationId);
      return organization ? [{ organization: organization.name, ...recordOf(each) }] : [];
    });
    return { data };
  }

  @Post('invitations/:org/accept')
  @HttpCode(200)
  @RequiresAccount()
  @Describe({
    tag: TAG,
    summary: 'Become a member, with the role of the invitation',
    answer: done('Invitation accepted'),
    failures: NOT_FOUND,
  })
  async accept(@Req() request: AuthenticatedRequest, @Param('org') name: string): Promise<Done> {
    await this.answer(request, name, 'accept');
    return done('Invitation accepted');
  }

  @Post('invitations/:org/decline')
  @HttpCode(200)
  @RequiresAccount()
  @Describe({
    tag: TAG,
    summary: 'Decline: the organization is not told, and cannot ask again before it expires',
    answer: done('Invitation declined'),
    failures: NOT_FOUND,
  })
  async decline(@Req() request: AuthenticatedRequest, @Param('org') name: string): Promise<Done> {
    await this.answer(request, name, 'decline');
    return done('Invitation declined');
  }

  @Get(':org/invitations')
  @Requires('manage-organization')
  @Describe({
    tag: TAG,
    summary: 'E-mails that the organization has invited and that are no members yet',
    answer: { data: [{ email: 'ann@example.com', ...EXAMPLE }] },
  })
  async sent(@Req() request: AuthenticatedRequest): Promise<{ data: readonly SentRecord[] }> {
    const sent = await this.invitations.sent(organizationOf(request));
    return { data: sent.map((each) => ({ email: each.email, ...recordOf(each) })) };
  }

  @Delete(':org/invitations/:email')
  @Requires('manage-organization')
  @Describe({
    tag: TAG,
    summary: 'Withdraw an invitation that nobody has accepted',
    answer: done('Invitation withdrawn'),
    failures: NOT_FOUND,
  })
  async withdraw(
    @Req() request: AuthenticatedRequest,
    @Param('email') email: string,
  ): Promise<Done> {
    const command = new WithdrawInvitation(organizationOf(request), email, contextOf(request));
    await this.commands.execute(command);
    return done('Invitation withdrawn');
  }

  private async answer(
    request: AuthenticatedRequest,
    organization: string,
    answer: 'accept' | 'decline',
  ): Promise<void> {
    const context = contextOf(request);
    await this.commands.execute(
      new AnswerInvitation(callerOf(request), organization, answer, context),
    );
  }
}

const recordOf = ({ role, invitedAt, expiresAt }: Invitation): InvitationRecord => ({
  role,
  invited_at: Date.parse(invitedAt) * 1000,
  expires_at: Date.parse(expiresAt) * 1000,
});
