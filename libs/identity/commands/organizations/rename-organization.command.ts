import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import type { RequestOrganization } from '@app/platform';
import { Memberships } from '../../people/memberships.js';

/** Changes the displayed name. The name in requests stays. */
export class RenameOrganization {
  constructor(
    readonly organization: RequestOrganization,
    readonly displayName: string,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(RenameOrganization)
export class RenameOrganizationHandler implements ICommandHandler<RenameOrganization, void> {
  constructor(private readonly memberships: Memberships) {}

  execute({ organization, displayName, context }: RenameOrganization): Promise<void> {
    return this.memberships.rename(organization.id, displayName, context);
  }
}
