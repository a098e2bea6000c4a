import { Controller, Get, Put, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { contextOf } from '@app/event-store';
import {
  callerOf,
  Describe,
  MillraceError,
  organizationOf,
  Requires,
  RequiresAccount,
  type AuthenticatedRequest,
} from '@app/platform';
import { DEFAULT_ORGANIZATION } from '../auth/default-organization.js';
import { RotatePasscode } from '../commands/rotate-passcode.command.js';
import { Passcodes } from '../people/passcode.js';
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

interface PasscodeRecord {
  readonly data: { readonly passcode: string; readonly user: string };
}

const TAG = 'Organizations';
const LISTED = {
  tag: TAG,
  summary: 'Organizations the caller belongs to; root sees all',
  answer: {
    data: [
      {
        id: 1,
        identifier: 'default',
        name: 'default',
        type: 'default',
        user_email: 'ann@example.com',
        role: 'admin',
        created_at: 1_790_000_000_000_000,
      },
    ],
  },
};
const PASSCODE = {
  data: { passcode: 'mrp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', user: 'ann@example.com' },
};

@Controller('api')
export class OrganizationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly organizations: OrganizationsProjection,
    private readonly passcodes: Passcodes,
  ) {}

  @Get('organizations')
  @RequiresAccount()
  @Describe(LISTED)
  listAll(@Req() request: AuthenticatedRequest): { data: readonly OrganizationRecord[] } {
    return this.list(request);
  }

  @Get(':org/organizations')
  @Requires('view')
  @Describe(LISTED)
  list(@Req() request: AuthenticatedRequest): { data: readonly OrganizationRecord[] } {
    const { userId, email, root } = callerOf(request);
    const visible = root ? this.organizations.list() : this.organizations.of(userId);
    const data = visible.map(({ id, name, members, createdAt }): OrganizationRecord => ({
      id: this.organizations.numberOf(id) ?? 0,
      identifier: name,
      name,
      type: name === DEFAULT_ORGANIZATION ? 'default' : 'custom',
      user_email: email,
      role: members.get(userId) ?? 'root',
      created_at: createdAt * 1000,
    }));
    return { data };
  }

  @Get([':org/organizations/passcode', ':org/passcode'])
  @Requires('manage-organization')
  @Describe({
    tag: TAG,
    summary: 'The passcode: uploads, queries and lists streams',
    answer: PASSCODE,
  })
  passcode(@Req() request: AuthenticatedRequest): PasscodeRecord {
    const organization = this.organizations.get(organizationOf(request).id);
    const passcode = organization && this.passcodes.open(organization);
    if (passcode === undefined)
      throw new MillraceError('ORGANIZATION_NOT_FOUND', 'the organization has no passcode');
    return { data: { passcode, user: callerOf(request).email } };
  }

  @Put([':org/organizations/passcode', ':org/passcode'])
  @Requires('manage-organization')
  @Describe({ tag: TAG, summary: 'A new passcode; the old one is dead at once', answer: PASSCODE })
  async rotate(@Req() request: AuthenticatedRequest): Promise<PasscodeRecord> {
    await this.commands.execute(new RotatePasscode(organizationOf(request), contextOf(request)));
    return this.passcode(request);
  }
}
