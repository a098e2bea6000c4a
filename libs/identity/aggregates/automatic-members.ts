import type { Decider } from '@app/event-store';
import type { OrganizationEvent, UserRoleChanged } from './organization-events.js';
import type { Role } from './roles.js';

/**
 * In early versions, the command that registered an account also made it a `member` of `default`.
 */
const AUTOMATIC: Role = 'member';
/** The number of changes in an append is bounded. */
const CHANGED_AT_ONCE = 500;

/** An event as it is stored. An event that was decided just now has no metadata yet. */
type StoredEvent = OrganizationEvent & { readonly metadata?: { readonly $causationId: string } };

interface Given {
  readonly role: Role;
  /** The id of the command that has assigned the role. */
  readonly commandId: string | undefined;
}

interface Narrow {
  readonly organizationId: string;
  /** For each account that another organization registered, the id of the command that did so. */
  readonly registrations: ReadonlyMap<string, string>;
}

/**
 * Another view of an organization's stream: members who have a role only because the registration
 * gave it. They become viewers. A role that was assigned on purpose came by another command, and
 * stays. Repeating this, or doing it on several nodes at once, changes nothing more.
 */
export const automaticMembers: Decider<ReadonlyMap<string, Given>, Narrow, StoredEvent> = {
  initialState: new Map(),

  evolve(state, { type, data, metadata }) {
    if (type === 'UserAddedToOrganization' || type === 'UserRoleChanged') {
      const given = { role: data.role, commandId: metadata?.$causationId };
      return new Map(state).set(data.userId, given);
    }
    if (type !== 'UserRemovedFromOrganization') return state;
    const left = new Map(state);
    left.delete(data.userId);
    return left;
  },

  decide(state, { organizationId, registrations }) {
    return [...registrations]
      .filter(([userId, commandId]) => {
        const given = state.get(userId);
        return given?.role === AUTOMATIC && given.commandId === commandId;
      })
      .slice(0, CHANGED_AT_ONCE)
      .map(([userId]): UserRoleChanged => ({
        type: 'UserRoleChanged',
        data: { organizationId, userId, role: 'viewer' },
      }));
  },
};
