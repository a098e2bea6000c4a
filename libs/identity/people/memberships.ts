import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { CommandPipeline, reservation, type CommandContext } from '@app/event-store';
import { MillraceError } from '@app/platform';
import {
  organizationAggregate,
  type OrganizationCommand,
  type OrganizationState,
} from '../aggregates/organization.aggregate.js';
import type { Role } from '../aggregates/roles.js';
import {
  OrganizationsProjection,
  type Organization,
} from '../projections/organizations.projection.js';
import { Passcodes } from './passcode.js';

const name = reservation('OrganizationName');

/** Changes organizations and who belongs to them. */
@Injectable()
export class Memberships {
  constructor(
    private readonly pipeline: CommandPipeline,
    private readonly organizations: OrganizationsProjection,
    private readonly passcodes: Passcodes,
  ) {}

  /** Makes the organization unless it is there. Its name is taken first, so that it names one. */
  async create(
    wanted: string,
    founder: string | undefined,
    context: CommandContext,
  ): Promise<Organization> {
    const mine = ulid();
    const holder = await this.pipeline.handle({
      decider: name,
      stream: `organizationname-${Buffer.from(wanted).toString('hex')}`,
      command: { type: 'reserve', holder: mine },
      context,
    });
    const id = holder ?? mine;
    const command: OrganizationCommand = {
      type: 'create',
      organization: { id, name: wanted, database: `o_${randomBytes(16).toString('hex')}` },
      passcode: this.passcodes.make(id),
      ...(founder === undefined ? {} : { founder }),
    };
    await this.change(id, command, context);
    const organization = this.organizations.get(id);
    if (!organization)
      throw new MillraceError('CONFLICT', `organization ${wanted} is being made; try again`);
    return organization;
  }

  async rotatePasscode(id: string, context: CommandContext): Promise<void> {
    const passcode = this.passcodes.make(id);
    await this.change(id, { type: 'rotate-passcode', passcode }, context);
  }

  /** A member with this role from now on, whatever they were before. @throws {MillraceError} FORBIDDEN for the last admin */
  async put(id: string, userId: string, role: Role, context: CommandContext): Promise<void> {
    await this.change(id, { type: 'put-user', userId, role }, context);
  }

  /** @throws {MillraceError} FORBIDDEN for the last admin, unless the account itself goes */
  async remove(
    id: string,
    userId: string,
    context: CommandContext,
    evenTheLastAdmin = false,
  ): Promise<void> {
    await this.change(id, { type: 'remove-user', userId, evenTheLastAdmin }, context);
  }

  private change(
    id: string,
    command: OrganizationCommand,
    context: CommandContext,
  ): Promise<OrganizationState> {
    return this.pipeline.handle({
      decider: organizationAggregate,
      stream: `organization-${id}`,
      command,
      context: { ...context, organizationId: id },
    });
  }
}
