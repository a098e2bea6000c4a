import { Logger } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandPipeline, EventStore, systemContext } from '@app/event-store';
import { automaticMembers } from '../../aggregates/automatic-members.js';
import { DEFAULT_ORGANIZATION } from '../../auth/default-organization.js';
import { OrganizationsProjection } from '../../projections/organizations.projection.js';
import { UsersProjection } from '../../projections/users.projection.js';
import { unlessUntold } from './unless-untold.js';

/**
 * Makes viewers of those who are members of `default` only because everybody became one. Runs at
 * every start: a node of the version before may have registered somebody in between.
 */
export class NarrowDefault {}

@CommandHandler(NarrowDefault)
export class NarrowDefaultHandler implements ICommandHandler<NarrowDefault, void> {
  private readonly logger = new Logger('narrow-default');

  constructor(
    private readonly pipeline: CommandPipeline,
    private readonly store: EventStore,
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
  ) {}

  async execute(): Promise<void> {
    const home = this.organizations.find(DEFAULT_ORGANIZATION);
    if (!home) return;
    const candidates = [...home.members].flatMap(([userId, role]) => {
      const registeredElsewhere = this.users.registeredIn(userId) !== home.id;
      return role === 'member' && registeredElsewhere ? [userId] : [];
    });
    const registrations = new Map<string, string>();
    for (const userId of candidates) {
      const commandId = await this.registeredBy(userId);
      if (commandId !== undefined) registrations.set(userId, commandId);
    }
    await unlessUntold(this.logger, async () => {
      let changed = registrations.size;
      while (changed > 0) changed = await this.narrow(home.id, registrations);
    });
  }

  /** @returns how many have become viewers: more may be left then */
  private async narrow(
    organizationId: string,
    registrations: ReadonlyMap<string, string>,
  ): Promise<number> {
    const before = this.membersAmong(organizationId, registrations);
    await this.pipeline.handle({
      decider: automaticMembers,
      stream: `organization-${organizationId}`,
      command: { organizationId, registrations },
      context: systemContext(organizationId),
    });
    return before - this.membersAmong(organizationId, registrations);
  }

  private membersAmong(organizationId: string, among: ReadonlyMap<string, string>): number {
    const members = this.organizations.get(organizationId)?.members;
    return [...among.keys()].filter((userId) => members?.get(userId) === 'member').length;
  }

  private async registeredBy(userId: string): Promise<string | undefined> {
    for await (const { type, metadata } of this.store.read(`user-${userId}`, { limit: 1 }))
      if (type === 'UserRegistered') return metadata.$causationId;
    return undefined;
  }
}
