import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import type { RequestOrganization } from '@app/platform';
import { Memberships } from '../../people/memberships.js';

/** The token becomes invalid at every node; its name is free. */
export class RevokeToken {
  constructor(
    readonly organization: RequestOrganization,
    readonly name: string,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken, void> {
  constructor(private readonly memberships: Memberships) {}

  execute({ organization, name, context }: RevokeToken): Promise<void> {
    return this.memberships.revokeToken(organization.id, name, context);
  }
}
