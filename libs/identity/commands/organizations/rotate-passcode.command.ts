import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import type { RequestOrganization } from '@app/platform';
import { Memberships } from '../../people/memberships.js';

/** Makes a new passcode for the organization. The old one becomes invalid. */
export class RotatePasscode {
  constructor(
    readonly organization: RequestOrganization,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(RotatePasscode)
export class RotatePasscodeHandler implements ICommandHandler<RotatePasscode, void> {
  constructor(private readonly memberships: Memberships) {}

  execute({ organization, context }: RotatePasscode): Promise<void> {
    return this.memberships.rotatePasscode(organization.id, context);
  }
}
