import { Injectable } from '@nestjs/common';
import type { RecordedEvent, SnapshottedProjection } from '@app/event-store';
import type { RequestOrganization } from '@app/platform';
import type { OrganizationEvent } from '../aggregates/organization-events.js';
import {
  organizationAggregate,
  type OrganizationState,
} from '../aggregates/organization.aggregate.js';
import type { Role } from '../aggregates/roles.js';
import type { Token, Tokens } from '../aggregates/tokens.js';

export interface Organization extends RequestOrganization {
  /** A number that never changes. The first organization has 1. */
  readonly number: number;
  /** The name that people are shown. Undefined means the organization's name. */
  readonly displayName: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The account behind its founder. */
  readonly tenant?: string;
  /** Sealed. */
  readonly passcode: string | undefined;
  readonly members: ReadonlyMap<string, Role>;
  readonly tokens: Tokens;
}

interface StoredOrganization extends Omit<Organization, 'members' | 'tokens'> {
  readonly members: readonly (readonly [string, Role])[];
  readonly tokens: readonly Token[];
}

interface Stored {
  readonly organizations: readonly StoredOrganization[];
  readonly deleted: readonly string[];
}

/** Organizations by name, by member and by token. */
@Injectable()
export class OrganizationsProjection implements SnapshottedProjection {
  readonly name = 'organizations';
  readonly snapshotVersion = 4;
  private readonly byId = new Map<string, Organization>();
  private readonly ids = new Map<string, string>();
  /**
   * Ids are never used again, so data that is still on its way to one of these finds no
   * organization.
   */
  private readonly deleted = new Set<string>();
  private readonly memberships = new Map<string, Set<string>>();
  private readonly founded = new Map<string, Set<string>>();
  /** By database, also of organizations deleted since the start, whose databases are being dropped. */
  private readonly shares = new Map<string, string>();
  /** Tokens by the fingerprint of their secret. */
  private readonly tokens = new Map<string, Token>();

  apply(event: RecordedEvent): void {
    if (!event.stream.startsWith('organization-')) return;
    const id = event.stream.slice('organization-'.length);
    if (this.deleted.has(id)) return;
    const before = this.byId.get(id);
    const state = organizationAggregate.evolve(
      before ? stateOf(before) : organizationAggregate.initialState,
      event as unknown as OrganizationEvent,
    );
    if (state.deleted && before) this.forget(before);
    if (!state.organization) return;
    const { displayName, passcode, members, tokens } = state;
    const createdAt = before?.createdAt ?? Date.parse(event.metadata.occurredAt);
    const number = before?.number ?? this.byId.size + this.deleted.size + 1;
    const share = state.organization.tenant ?? id;
    const known = { number, share, createdAt, displayName, passcode, members, tokens };
    this.index({ ...state.organization, ...known });
  }

  find(name: string): Organization | undefined {
    const id = this.ids.get(name);
    return id === undefined ? undefined : this.get(id);
  }

  get(id: string): Organization | undefined {
    return this.byId.get(id);
  }

  /** The token with this fingerprint, whether it has expired or not. */
  token(fingerprint: string): Token | undefined {
    return this.tokens.get(fingerprint);
  }

  isDeleted(id: string): boolean {
    return this.deleted.has(id);
  }

  /** Counts the organizations that were founded for this tenant. */
  foundedFor(tenant: string): number {
    return this.founded.get(tenant)?.size ?? 0;
  }

  /** The share of the organization with this database; a database that is not known has its own. */
  shareOf(database: string): string {
    return this.shares.get(database) ?? database;
  }

  /** Lists them by name. */
  list(): readonly Organization[] {
    return [...this.byId.values()].sort(byName);
  }

  /** The organizations that a user is a member of, by name. */
  of(userId: string): readonly Organization[] {
    const ids = [...(this.memberships.get(userId) ?? [])];
    return ids.flatMap((id) => this.byId.get(id) ?? []).sort(byName);
  }

  snapshot(): Stored {
    const organizations = [...this.byId.values()].map((each) => ({
      ...each,
      members: [...each.members],
      tokens: [...each.tokens.values()],
    }));
    return { organizations, deleted: [...this.deleted] };
  }

  restore(state: unknown): void {
    const { organizations, deleted } = state as Stored;
    for (const id of deleted) this.deleted.add(id);
    for (const { members, tokens, ...rest } of organizations)
      this.index({
        ...rest,
        members: new Map(members),
        tokens: new Map(tokens.map((each) => [each.name, each])),
      });
  }

  private index(organization: Organization): void {
    const { id, name, database, share, members, tenant } = organization;
    this.shares.set(database, share);
    if (tenant !== undefined)
      this.founded.set(tenant, (this.founded.get(tenant) ?? new Set()).add(id));
    this.indexMembers(id, this.byId.get(id)?.members, members);
    this.indexTokens(this.byId.get(id)?.tokens, organization.tokens);
    this.byId.set(id, organization);
    this.ids.set(name, id);
  }

  private indexMembers(
    id: string,
    before: Organization['members'] | undefined,
    now: Organization['members'],
  ): void {
    if (before === now) return;
    for (const userId of before?.keys() ?? [])
      if (!now.has(userId)) this.memberships.get(userId)?.delete(id);
    for (const userId of now.keys()) {
      if (before?.has(userId)) continue;
      const ids = this.memberships.get(userId) ?? new Set<string>();
      this.memberships.set(userId, ids.add(id));
    }
  }

  /** Its members stay in their other organizations. */
  private forget({ id, name, tenant, members, tokens }: Organization): void {
    this.deleted.add(id);
    this.byId.delete(id);
    if (this.ids.get(name) === id) this.ids.delete(name);
    if (tenant !== undefined) this.founded.get(tenant)?.delete(id);
    for (const userId of members.keys()) this.memberships.get(userId)?.delete(id);
    this.indexTokens(tokens, new Map());
  }

  private indexTokens(before: Tokens | undefined, now: Tokens): void {
    if (before === now) return;
    for (const { fingerprint } of before?.values() ?? []) this.tokens.delete(fingerprint);
    for (const token of now.values()) this.tokens.set(token.fingerprint, token);
  }
}

function stateOf(organization: Organization): OrganizationState {
  const { id, name, database, tenant, displayName, passcode, members, tokens } = organization;
  const created = { id, name, database, ...(tenant === undefined ? {} : { tenant }) };
  const known = { deleted: false, displayName, passcode, members, tokens };
  return { organization: created, ...known, invitations: new Map() };
}

const byName = (a: Organization, b: Organization): number => (a.name < b.name ? -1 : 1);
