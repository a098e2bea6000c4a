import type { Decider } from '@app/event-store';
import type { Role } from './roles.js';

export type OrganizationEvent = OrganizationCreated | UserAddedToOrganization;

export interface OrganizationCreated {
  readonly type: 'OrganizationCreated';
  readonly data: {
    readonly id: string;
    readonly name: string;
    /** Physical warehouse database: not to be guessed, so made of random letters. */
    readonly database: string;
  };
}

export interface UserAddedToOrganization {
  readonly type: 'UserAddedToOrganization';
  readonly data: { readonly organizationId: string; readonly userId: string; readonly role: Role };
}

export type OrganizationCommand =
  | { readonly type: 'create'; readonly organization: OrganizationCreated['data'] }
  | { readonly type: 'add-user'; readonly userId: string; readonly role: Role };

export interface OrganizationState {
  readonly organization: OrganizationCreated['data'] | undefined;
  readonly members: ReadonlyMap<string, Role>;
}

export const organizationAggregate: Decider<
  OrganizationState,
  OrganizationCommand,
  OrganizationEvent
> = {
  initialState: { organization: undefined, members: new Map() },

  evolve(state, event) {
    switch (event.type) {
      case 'OrganizationCreated':
        return { ...state, organization: event.data };
      case 'UserAddedToOrganization':
        return {
          ...state,
          members: new Map(state.members).set(event.data.userId, event.data.role),
        };
    }
  },

  decide({ organization, members }, command) {
    switch (command.type) {
      case 'create':
        return organization ? [] : [{ type: 'OrganizationCreated', data: command.organization }];
      case 'add-user': {
        if (!organization || members.get(command.userId) === command.role) return [];
        const { userId, role } = command;
        return [
          {
            type: 'UserAddedToOrganization',
            data: { organizationId: organization.id, userId, role },
          },
        ];
      }
    }
  },
};

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** What is wrong with an organization's name, or undefined. */
export function organizationNameProblem(name: string): string | undefined {
  if (NAME.test(name)) return undefined;
  return `organization name ${JSON.stringify(name.slice(0, 80))}: want 1 to 63 of a-z, 0-9, "_" and "-", beginning with a letter or digit`;
}
