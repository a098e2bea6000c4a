import { Injectable } from '@nestjs/common';
import type { Projection, RecordedEvent } from '@app/event-store';
import type { RequestOrganization } from '@app/platform';
import {
  organizationAggregate,
  type OrganizationEvent,
  type OrganizationState,
} from '../aggregates/organization.aggregate.js';
import type { Role } from '../aggregates/roles.js';

export interface Organization extends RequestOrganization {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly members: ReadonlyMap<string, Role>;
}

/** Organizations by name, with who belongs to them. */
@Injectable()
export class OrganizationsProjection implements Projection {
  readonly name = 'organizations';
  private readonly states = new Map<string, OrganizationState>();
  private readonly byName = new Map<string, Organization>();

  apply(event: RecordedEvent): void {
    if (!event.stream.startsWith('organization-')) return;
    const before = this.states.get(event.stream) ?? organizationAggregate.initialState;
    const state = organizationAggregate.evolve(before, event as unknown as OrganizationEvent);
    this.states.set(event.stream, state);
    if (!state.organization) return;
    const { name } = state.organization;
    const createdAt = this.byName.get(name)?.createdAt ?? Date.parse(event.metadata.occurredAt);
    this.byName.set(name, { ...state.organization, createdAt, members: state.members });
  }

  find(name: string): Organization | undefined {
    return this.byName.get(name);
  }

  /** By name. */
  list(): readonly Organization[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
