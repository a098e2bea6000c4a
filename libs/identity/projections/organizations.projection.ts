import { Injectable } from '@nestjs/common';
import type { RecordedEvent, SnapshottedProjection } from '@app/event-store';
import type { RequestOrganization } from '@app/platform';
import {
  organizationAggregate,
  type OrganizationEvent,
  type OrganizationState,
} from '../aggregates/organization.aggregate.js';
import type { Role } from '../aggregates/roles.js';
import type { Token, Tokens } from '../aggregates/tokens.js';

export interface Organization extends RequestOrganization {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The account that is behind its founder. */
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

/** Organizations by name, by member and by token. */
@Injectable()
export class OrganizationsProjection implements SnapshottedProjection {
  readonly name = 'organizations';
  readonly snapshotVersion = 3;
  private readonly byId = new Map<string, Organization>();
  private readonly ids = new Map<string, string>();
  /** In the order in which they were made; none is ever taken away. */
  private readonly numbers = new Map<string, number>();
  private readonly memberships = new Map<string, Set<string>>();
  private readonly founded = new Map<string, Set<string>>();
  /** By fingerprint. */
  private readonly tokens = new Map<string, Token>();

  apply(event: RecordedEvent): void {
    if (!event.stream.startsWith('organization-')) return;
    const id = event.stream.slice('organization-'.length);
    const before = this.byId.get(id);
    const state = organizationAggregate.evolve(
      before ? stateOf(before) : organizationAggregate.initialState,
      event as unknown as OrganizationEvent,
    );
    if (!state.organization) return;
    const { passcode, members, tokens } = state;
    const createdAt = before?.createdAt ?? Date.parse(event.metadata.occurredAt);
    const share = state.organization.tenant ?? id;
    this.index({ ...state.organization, share, createdAt, passcode, members, tokens });
  }

  find(name: string): Organization | undefined {
    return this.get(this.ids.get(name) ?? '');
  }

  get(id: string): Organization | undefined {
    return this.byId.get(id);
  }

  /** The token with this fingerprint, whether it has expired or not. */
  token(fingerprint: string): Token | undefined {
    return this.tokens.get(fingerprint);
  }

  /** The same for everybody, and for good: 1 for the first that was made. */
  numberOf(id: string): number | undefined {
    return this.numbers.get(id);
  }

  /** How many were founded for this tenant. */
  foundedFor(tenant: string): number {
    return this.founded.get(tenant)?.size ?? 0;
  }

  /** By name. */
  list(): readonly Organization[] {
    return [...this.byId.values()].sort(byName);
  }

  /** Those somebody is a member of, by name. */
  of(userId: string): readonly Organization[] {
    const ids = [...(this.memberships.get(userId) ?? [])];
    return ids.flatMap((id) => this.byId.get(id) ?? []).sort(byName);
  }

  snapshot(): readonly StoredOrganization[] {
    return [...this.byId.values()].map((each) => ({
      ...each,
      members: [...each.members],
      tokens: [...each.tokens.values()],
    }));
  }

  restore(state: unknown): void {
    for (const { members, tokens, ...rest } of state as readonly StoredOrganization[])
      this.index({
        ...rest,
        members: new Map(members),
        tokens: new Map(tokens.map((each) => [each.name, each])),
      });
  }

  private index(organization: Organization): void {
    const { id, name, members, tenant } = organization;
    if (tenant !== undefined)
      this.founded.set(tenant, (this.founded.get(tenant) ?? new Set()).add(id));
    for (const userId of this.byId.get(id)?.members.keys() ?? []) {
      if (!members.has(userId)) this.memberships.get(userId)?.delete(id);
    }
    for (const userId of members.keys()) {
      const ids = this.memberships.get(userId) ?? new Set<string>();
      this.memberships.set(userId, ids.add(id));
    }
    this.indexTokens(this.byId.get(id)?.tokens, organization.tokens);
    this.byId.set(id, organization);
    if (!this.numbers.has(id)) this.numbers.set(id, this.numbers.size + 1);
    this.ids.set(name, id);
  }

  private indexTokens(before: Tokens | undefined, now: Tokens): void {
    if (before === now) return;
    for (const { fingerprint } of before?.values() ?? []) this.tokens.delete(fingerprint);
    for (const token of now.values()) this.tokens.set(token.fingerprint, token);
  }
}

function stateOf({ passcode, members, tokens, ...organization }: Organization): OrganizationState {
  const { id, name, database, tenant } = organization;
  const created = { id, name, database, ...(tenant === undefined ? {} : { tenant }) };
  return { organization: created, passcode, members, invitations: new Map(), tokens };
}

const byName = (a: Organization, b: Organization): number => (a.name < b.name ? -1 : 1);
