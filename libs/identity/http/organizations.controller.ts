import { Controller, Get, Req } from '@nestjs/common';
import { callerOf, Requires, type AuthenticatedRequest } from '@app/platform';
import { DEFAULT_ORGANIZATION } from '../commands/ensure-root.command.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';

interface OrganizationRecord {
  readonly id: number;
  readonly identifier: string;
  readonly name: string;
  readonly type: 'default' | 'custom';
  readonly user_email: string;
  readonly role: string;
  /** Microseconds since the epoch. */
  readonly created_at: number;
}

@Controller('api')
@Requires('query')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsProjection) {}

  /** Organizations the caller belongs to; root sees all. */
  @Get(['organizations', ':org/organizations'])
  list(@Req() request: AuthenticatedRequest): { data: readonly OrganizationRecord[] } {
    const caller = callerOf(request);
    const visible = this.organizations
      .list()
      .filter((organization) => caller.root || organization.members.has(caller.userId));
    const data = visible.map((organization, index): OrganizationRecord => {
      const { name, members, createdAt } = organization;
      return {
        id: index + 1,
        identifier: name,
        name,
        type: name === DEFAULT_ORGANIZATION ? 'default' : 'custom',
        user_email: caller.email,
        role: members.get(caller.userId) ?? 'root',
        created_at: createdAt * 1000,
      };
    });
    return { data };
  }
}
