import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import type { RequestOrganization } from '@app/platform';
import { InvitationService } from '../../people/invitation-service.js';

/** Takes an invitation back that nobody has accepted. */
export class WithdrawInvitation {
  constructor(
    readonly organization: RequestOrganization,
    readonly email: string,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(WithdrawInvitation)
export class WithdrawInvitationHandler implements ICommandHandler<WithdrawInvitation, void> {
  constructor(private readonly invitations: InvitationService) {}

  execute({ organization, email, context }: WithdrawInvitation): Promise<void> {
    return this.invitations.withdraw(organization, email, context);
  }
}
