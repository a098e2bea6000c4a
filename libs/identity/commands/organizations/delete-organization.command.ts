import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import { MillraceError, type Caller, type RequestOrganization } from '@app/platform';
import { DEFAULT_ORGANIZATION } from '../../auth/default-organization.js';
import { Memberships } from '../../people/memberships.js';

/** Deletes an organization with all its data. Its name is then free for another one. */
export class DeleteOrganization {
  constructor(
    readonly caller: Caller,
    readonly organization: RequestOrganization,
    readonly context: CommandContext,
  ) {}
}

/** The event decides. The next start does the work that a crash leaves undone. */
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
