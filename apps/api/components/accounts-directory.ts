import { AuditDirectory } from '@app/audit';
import type { NotUnderstood } from '@app/event-store';
import {
  DEFAULT_ORGANIZATION,
  type OrganizationsProjection,
  type PersonalData,
  type UsersProjection,
} from '@app/identity';
import { StreamsProjection } from '@app/streams';

/** Tells the audit trail who people and organizations are. */
export class AccountsDirectory extends AuditDirectory {
  constructor(
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
    private readonly people: PersonalData,
    private readonly notUnderstood: Pick<NotUnderstood, 'has'> = { has: () => false },
    private readonly streams: Pick<StreamsProjection, 'organizationOf'> = new StreamsProjection(),
  ) {
    super();
  }

  databases(): readonly string[] {
    return this.organizations.list().map(({ database }) => database);
  }

  shareOf(database: string): string {
    return this.organizations.shareOf(database);
  }

  database(organizationId: string | undefined): string | undefined {
    if (organizationId !== undefined && this.organizations.isDeleted(organizationId))
      return undefined;
    const named = organizationId === undefined ? undefined : this.organizations.get(organizationId);
    // If its database is unknown, nobody else may see what happens there.
    const isUntold = !named && this.notUnderstood.has(`organization-${organizationId ?? ''}`);
    if (isUntold) return undefined;
    return (named ?? this.organizations.find(DEFAULT_ORGANIZATION))?.database;
  }

  organizationOfStream(eventStream: string): string | undefined {
    return this.streams.organizationOf(eventStream);
  }

  email(userId: string): string | undefined {
    return this.users.emailOf(userId);
  }

  client(actor: string, sealed: string): ReturnType<AuditDirectory['client']> {
    return this.people.client(actor, sealed);
  }

  erased(): readonly string[] {
    return this.users.erasedIds();
  }
}
