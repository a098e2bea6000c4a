import type { Decider } from '@app/event-store';
import { MillraceError } from '@app/platform';
import type { Role } from './roles.js';

export type OrganizationEvent =
  | OrganizationCreated
  | PasscodeRotated
  | UserAddedToOrganization
  | UserRoleChanged
  | UserRemovedFromOrganization;

export interface OrganizationCreated {
  readonly type: 'OrganizationCreated';
  readonly data: {
    readonly id: string;
    readonly name: string;
    /** Physical warehouse database: not to be guessed, so made of random letters. */
    readonly database: string;
  };
}

export interface PasscodeRotated {
  readonly type: 'PasscodeRotated';
  /** `passcode` is sealed with the server's key. */
  readonly data: { readonly organizationId: string; readonly passcode: string };
}

interface Membership {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
}

export interface UserAddedToOrganization {
  readonly type: 'UserAddedToOrganization';
  readonly data: Membership;
}

export interface UserRoleChanged {
  readonly type: 'UserRoleChanged';
  readonly data: Membership;
}

export interface UserRemovedFromOrganization {
  readonly type: 'UserRemovedFromOrganization';
  readonly data: { readonly organizationId: string; readonly userId: string };
}

export type OrganizationCommand =
  | {
      readonly type: 'create';
      readonly organization: OrganizationCreated['data'];
      readonly passcode: string;
      /** Its first admin; root needs none. */
      readonly founder?: string;
    }
  | { readonly type: 'rotate-passcode'; readonly passcode: string }
  | { readonly type: 'put-user'; readonly userId: string; readonly role: Role }
  | {
      readonly type: 'remove-user';
      readonly userId: string;
      /** Also the last admin: only when the account itself goes. */
      readonly evenTheLastAdmin?: boolean;
    };

export interface OrganizationState {
  readonly organization: OrganizationCreated['data'] | undefined;
  /** Sealed. */
  readonly passcode: string | undefined;
  readonly members: ReadonlyMap<string, Role>;
}

export const organizationAggregate: Decider<
  OrganizationState,
  OrganizationCommand,
  OrganizationEvent
> = {
  initialState: { organization: undefined, passcode: undefined, members: new Map() },

  evolve(state, event) {
    switch (event.type) {
      case 'OrganizationCreated':
        return { ...state, organization: event.data };
      case 'PasscodeRotated':
        return { ...state, passcode: event.data.passcode };
      case 'UserAddedToOrganization':
      case 'UserRoleChanged':
        return {
          ...state,
          members: new Map(state.members).set(event.data.userId, event.data.role),
        };
      case 'UserRemovedFromOrganization': {
        const members = new Map(state.members);
        members.delete(event.data.userId);
        return { ...state, members };
      }
      default:
        return state;
    }
  },

  decide(state, command) {
    if (command.type === 'create') return create(state, command);
    const { organization } = state;
    if (!organization)
      throw new MillraceError('ORGANIZATION_NOT_FOUND', 'there is no such organization');
    const organizationId = organization.id;
    switch (command.type) {
      case 'rotate-passcode':
        return [{ type: 'PasscodeRotated', data: { organizationId, passcode: command.passcode } }];
      case 'put-user':
        return putUser(organizationId, state.members, command);
      case 'remove-user':
        return removeUser(organizationId, state.members, command);
    }
  },
};

function create(
  { organization: existing }: OrganizationState,
  { organization, passcode, founder }: Extract<OrganizationCommand, { type: 'create' }>,
): readonly OrganizationEvent[] {
  if (existing) return [];
  const organizationId = organization.id;
  const events: OrganizationEvent[] = [
    { type: 'OrganizationCreated', data: organization },
    { type: 'PasscodeRotated', data: { organizationId, passcode } },
  ];
  if (founder === undefined) return events;
  const data = { organizationId, userId: founder, role: 'admin' } as const;
  return [...events, { type: 'UserAddedToOrganization', data }];
}

function putUser(
  organizationId: string,
  members: ReadonlyMap<string, Role>,
  { userId, role }: Extract<OrganizationCommand, { type: 'put-user' }>,
): readonly OrganizationEvent[] {
  const before = members.get(userId);
  if (before === role) return [];
  const data = { organizationId, userId, role };
  if (before === undefined) return [{ type: 'UserAddedToOrganization', data }];
  if (isLastAdmin(members, userId)) throw lastAdmin();
  return [{ type: 'UserRoleChanged', data }];
}

function removeUser(
  organizationId: string,
  members: ReadonlyMap<string, Role>,
  { userId, evenTheLastAdmin = false }: Extract<OrganizationCommand, { type: 'remove-user' }>,
): readonly OrganizationEvent[] {
  if (!members.has(userId)) return [];
  if (!evenTheLastAdmin && isLastAdmin(members, userId)) throw lastAdmin();
  return [{ type: 'UserRemovedFromOrganization', data: { organizationId, userId } }];
}

function isLastAdmin(members: ReadonlyMap<string, Role>, userId: string): boolean {
  const admins = [...members].filter(([, role]) => role === 'admin');
  return admins.length === 1 && admins[0]?.[0] === userId;
}

function lastAdmin(): MillraceError {
  return new MillraceError(
    'FORBIDDEN',
    'this is the last admin of the organization; make somebody else an admin first',
  );
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** What is wrong with an organization's name, or undefined. */
export function organizationNameProblem(name: string): string | undefined {
  if (NAME.test(name)) return undefined;
  return `organization name ${JSON.stringify(name.slice(0, 80))}: want 1 to 63 of a-z, 0-9, "_" and "-", beginning with a letter or digit`;
}
