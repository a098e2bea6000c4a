import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import { MillraceError, type Caller, type RequestOrganization } from '@app/platform';
import { DEFAULT_ORGANIZATION } from '../../auth/default-organization.js';
import { Memberships } from '../../people/memberships.js';

/** Ends an organization with all that it has; its name is free afterwards, for another one. */
export class DeleteOrganization {
  constructor(
    readonly caller: Caller,
    readonly organization: RequestOrganization,
    readonly context: CommandContext,
  ) {}
}

/** The event decides; what a crash leaves undone after it is done at the next start. */
@CommandHandler(DeleteOrganization)
export class DeleteOrganizationHandler implements ICommandHandler<DeleteOrganization, void> {
  constructor(private readonly memberships: Memberships) {}

  async execute({ caller, organization, context }: DeleteOrganization): Promise<void> {
    if (organization.name === DEFAULT_ORGANIZATION)
      throw new MillraceError(
        'FORBIDDEN',
        'the organization default cannot be deleted; delete its streams instead',
      );
    const admin = caller.root ? undefined : caller.userId;
    await this.memberships.delete(organization, admin, context);
  }
}
