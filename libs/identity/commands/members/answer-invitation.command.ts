import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import type { Caller } from '@app/platform';
import { InvitationService } from '../../people/invitation-service.js';

/** The answer of a person to an organization that has invited them. */
export class AnswerInvitation {
  constructor(
    readonly caller: Caller,
    readonly organization: string,
    readonly answer: 'accept' | 'decline',
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(AnswerInvitation)
export class AnswerInvitationHandler implements ICommandHandler<AnswerInvitation, void> {
  constructor(private readonly invitations: InvitationService) {}

  execute({ caller, organization, answer, context }: AnswerInvitation): Promise<void> {
    return this.invitations[answer](caller, organization, context);
  }
}
