import { Controller, Delete, Get, Put, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { contextOf } from '@app/event-store';
import {
  callerOf,
  Describe,
  MillraceError,
  organizationOf,
  readJson,
  Requires,
  RequiresAccount,
  type AuthenticatedRequest,
  type Caller,
} from '@app/platform';
import { DEFAULT_ORGANIZATION } from '../auth/default-organization.js';
import { displayNameProblem } from '../aggregates/organization-names.js';
import { DeleteOrganization } from '../commands/organizations/delete-organization.command.js';
import { RenameOrganization } from '../commands/organizations/rename-organization.command.js';
import { RotatePasscode } from '../commands/organizations/rotate-passcode.command.js';
import { Passcodes } from '../people/passcode.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../projections/organizations.projection.js';
import { done, type Done } from './done.js';

/** The name in the form that OpenObserve has. */
const renaming = z.object({
  new_name: z
    .string()
    .trim()
    .superRefine((name, context) => {
      const problem = displayNameProblem(name);
      if (problem) context.addIssue({ code: 'custom', message: problem });
    }),
});
const deletion = z.strictObject({
  name: z.string().describe('Of the organization, so that none is deleted by mistake'),
});

interface OrganizationRecord {
  readonly id: number;
  /** The name that requests use. */
  readonly identifier: string;
  /** The name that people are shown. */
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
const RECORD = {
  id: 1,
  identifier: 'default',
  name: 'default',
  type: 'default',
  user_email: 'ann@example.com',
  role: 'admin',
  created_at: 1_790_000_000_000_000,
};
const LISTED = {
  tag: TAG,
  summary: 'Organizations the caller belongs to; root sees all',
  answer: { data: [RECORD] },
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
    const { userId, root } = callerOf(request);
    const visible = root ? this.organizations.list() : this.organizations.of(userId);
    return { data: visible.map((each) => recordOf(each, callerOf(request))) };
  }

  @Put(':org/rename')
  @Requires('manage-organization')
  @Describe({
    tag: TAG,
    summary: 'Change the name that people are shown; the one in paths (`identifier`) stays',
    body: { schema: renaming, example: { new_name: 'Acme Corporation' } },
    answer: { ...RECORD, identifier: 'acme', name: 'Acme Corporation', type: 'custom' },
    failures: { INVALID_PARAMETER: 'new_name: want 1 to 100 characters' },
  })
  async rename(@Req() request: AuthenticatedRequest): Promise<OrganizationRecord> {
    const { id } = organizationOf(request);
    const { new_name: name } = await readJson(request, renaming);
    await this.commands.execute(
      new RenameOrganization(organizationOf(request), name, contextOf(request)),
    );
    const organization = this.organizations.get(id);
    if (!organization)
      throw new MillraceError('ORGANIZATION_NOT_FOUND', 'the organization was deleted meanwhile');
    return recordOf(organization, callerOf(request));
  }

  @Delete(':org')
  @Requires('manage-organization')
  @Describe({
    tag: TAG,
    summary:
      'Delete the organization (root, or an admin of it) with its streams, audit trail, tokens, passcode and invitations, for good. Its people keep their accounts and other organizations; its name is free at once',
    body: { schema: deletion, example: { name: 'acme' } },
    answer: done('organization deleted'),
    failures: {
      INVALID_PARAMETER: 'name: send the name of the organization that is to be deleted, acme',
      FORBIDDEN: 'the organization default cannot be deleted; delete its streams instead',
    },
  })
  async remove(@Req() request: AuthenticatedRequest): Promise<Done> {
    const organization = organizationOf(request);
    const { name } = await readJson(request, deletion);
    if (name !== organization.name)
      throw new MillraceError(
        'INVALID_PARAMETER',
        `name: send the name of the organization that is to be deleted, ${organization.name}`,
      );
    await this.commands.execute(
      new DeleteOrganization(callerOf(request), organization, contextOf(request)),
    );
    return done('organization deleted');
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

function recordOf(
  { number, name, displayName, members, createdAt }: Organization,
  { userId, email }: Caller,
): OrganizationRecord {
  return {
    id: number,
    identifier: name,
    name: displayName ?? name,
    type: name === DEFAULT_ORGANIZATION ? 'default' : 'custom',
    user_email: email,
    role: members.get(userId) ?? 'root',
    created_at: createdAt * 1000,
  };
}
