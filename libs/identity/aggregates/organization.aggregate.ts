import type { Decider } from '@app/event-store';
import { MillraceError } from '@app/platform';
import {
  evolveInvitations,
  invite,
  noInvitation,
  pendingInvitation,
  withdrawn,
  type Invitation,
  type PendingInvitations,
} from './invitations.js';
import type { OrganizationCreated, OrganizationEvent } from './organization-events.js';
import type { Role } from './roles.js';
import { evolveTokens, make, revoke, type Token, type Tokens } from './tokens.js';

export type OrganizationCommand =
  | {
      readonly type: 'create';
      readonly organization: OrganizationCreated['data'];
      readonly passcode: string;
      /** Its first admin; root needs none. */
      readonly founder?: string;
    }
  | { readonly type: 'rename'; readonly displayName: string }
  | {
      readonly type: 'delete';
      /** The id of the admin who does it; undefined: root. */
      readonly admin: string | undefined;
    }
  | { readonly type: 'rotate-passcode'; readonly passcode: string }
  | {
      readonly type: 'put-user';
      readonly userId: string;
      readonly role: Role;
      /** A pending invitation of this e-mail ends, too. */
      readonly emailHash?: string;
      /** Allows a lower role for the last admin, too. Only root may do so. */
      readonly evenTheLastAdmin?: boolean;
      /**
       * Changes the role of members only: an account that has left meanwhile is not added again.
       */
      readonly onlyMembers?: boolean;
    }
  | {
      readonly type: 'remove-user';
      readonly userId: string;
      /** A pending invitation of this e-mail ends, too. */
      readonly emailHash?: string;
      /** Allows the last admin to be removed: by root, or when the account itself is deleted. */
      readonly evenTheLastAdmin?: boolean;
    }
  | { readonly type: 'invite'; readonly invitation: Omit<Invitation, 'organizationId'> }
  | {
      readonly type: 'accept-invitation';
      /** The passcode that they were shown; undefined finds none. */
      readonly invitationId: string | undefined;
      readonly emailHash: string;
      readonly userId: string;
      /** ISO 8601, UTC. */
      readonly now: string;
    }
  | { readonly type: 'withdraw-invitation'; readonly emailHash: string; readonly now: string }
  | { readonly type: 'make-token'; readonly token: Omit<Token, 'organizationId'> }
  | { readonly type: 'revoke-token'; readonly name: string };

export interface OrganizationState {
  /** Undefined means that it was not made yet, or is deleted. */
  readonly organization: OrganizationCreated['data'] | undefined;
  readonly deleted: boolean;
  /** The name that people are shown. Undefined means the organization's name. */
  readonly displayName: string | undefined;
  /** Sealed. */
  readonly passcode: string | undefined;
  readonly members: ReadonlyMap<string, Role>;
  readonly invitations: PendingInvitations;
  readonly tokens: Tokens;
}

const NOTHING: OrganizationState = {
  organization: undefined,
  deleted: false,
  displayName: undefined,
  passcode: undefined,
  members: new Map(),
  invitations: new Map(),
  tokens: new Map(),
};

export const organizationAggregate: Decider<
  OrganizationState,
  OrganizationCommand,
  OrganizationEvent
> = {
  initialState: NOTHING,

  evolve(state, event) {
    switch (event.type) {
      case 'OrganizationCreated':
        return { ...state, organization: event.data };
      case 'OrganizationRenamed':
        return { ...state, displayName: event.data.displayName };
      case 'OrganizationDeleted':
        return { ...NOTHING, deleted: true };
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
      case 'UserInvited':
      case 'InvitationAccepted':
      case 'InvitationWithdrawn':
      case 'InvitationExpired':
        return { ...state, invitations: evolveInvitations(state.invitations, event) };
      case 'TokenMade':
      case 'TokenRevoked':
      case 'TokenExpired':
        return { ...state, tokens: evolveTokens(state.tokens, event) };
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
      case 'rename':
        return rename(state, organization, command.displayName);
      case 'delete':
        return remove(state, organization, command.admin);
      case 'rotate-passcode':
        return [{ type: 'PasscodeRotated', data: { organizationId, passcode: command.passcode } }];
      case 'put-user':
        return putUser(organizationId, state, command);
      case 'remove-user':
        return removeUser(organizationId, state, command);
      case 'invite': {
        const { invitation } = command;
        // A person who was removed meanwhile cannot invite anybody.
        if (state.members.get(invitation.invitedBy) !== 'admin') throw notAdmin();
        return invite(state.invitations, { ...invitation, organizationId });
      }
      case 'accept-invitation':
        return accept(organizationId, state, command);
      case 'withdraw-invitation':
        return [withdrawn(pendingInvitation(state.invitations, command.emailHash, command.now))];
      case 'make-token':
        return make(state.tokens, { ...command.token, organizationId });
      case 'revoke-token':
        return revoke(state.tokens, command.name);
    }
  },
};

/** An id is used only once, so a deleted organization is not created again. */
function create(
  { organization: existing, deleted }: OrganizationState,
  { organization, passcode, founder }: Extract<OrganizationCommand, { type: 'create' }>,
): readonly OrganizationEvent[] {
  if (existing || deleted) return [];
  const organizationId = organization.id;
  const events: OrganizationEvent[] = [
    { type: 'OrganizationCreated', data: organization },
    { type: 'PasscodeRotated', data: { organizationId, passcode } },
  ];
  if (founder === undefined) return events;
  const data = { organizationId, userId: founder, role: 'admin' } as const;
  return [...events, { type: 'UserAddedToOrganization', data }];
}

function rename(
  state: OrganizationState,
  { id: organizationId, name }: OrganizationCreated['data'],
  displayName: string,
): readonly OrganizationEvent[] {
  if (displayName === (state.displayName ?? name)) return [];
  return [{ type: 'OrganizationRenamed', data: { organizationId, displayName } }];
}

/** Deletes the organization. A user who is no longer an admin of it is refused. */
function remove(
  { members }: OrganizationState,
  { id: organizationId, name, database }: OrganizationCreated['data'],
  admin: string | undefined,
): readonly OrganizationEvent[] {
  if (admin !== undefined && members.get(admin) !== 'admin')
    throw new MillraceError('FORBIDDEN', 'only root, or an admin of the organization, deletes it');
  return [{ type: 'OrganizationDeleted', data: { organizationId, name, database } }];
}

function putUser(
  organizationId: string,
  { members, invitations }: OrganizationState,
  command: Extract<OrganizationCommand, { type: 'put-user' }>,
): readonly OrganizationEvent[] {
  const { userId, role, emailHash, evenTheLastAdmin = false } = command;
  const before = members.get(userId);
  const data = { organizationId, userId, role };
  const ended = [
    ...ofPerson(invitations, emailHash),
    ...(before === 'admin' && role !== 'admin' ? vouchedForBy(invitations, userId) : []),
  ];
  if (before === undefined && command.onlyMembers)
    throw new MillraceError('USER_NOT_FOUND', 'User not found');
  if (before === role) return withdrawAll(ended);
  if (before === undefined)
    return [{ type: 'UserAddedToOrganization', data }, ...withdrawAll(ended)];
  if (!evenTheLastAdmin && isLastAdmin(members, userId)) throw lastAdmin();
  return [{ type: 'UserRoleChanged', data }, ...withdrawAll(ended)];
}

function removeUser(
  organizationId: string,
  { members, invitations }: OrganizationState,
  command: Extract<OrganizationCommand, { type: 'remove-user' }>,
): readonly OrganizationEvent[] {
  const { userId, emailHash, evenTheLastAdmin = false } = command;
  if (!members.has(userId)) return [];
  if (!evenTheLastAdmin && isLastAdmin(members, userId)) throw lastAdmin();
  return [
    { type: 'UserRemovedFromOrganization', data: { organizationId, userId } },
    ...withdrawAll([...ofPerson(invitations, emailHash), ...vouchedForBy(invitations, userId)]),
  ];
}

/** A person who is a member already keeps their role. */
function accept(
  organizationId: string,
  { members, invitations }: OrganizationState,
  command: Extract<OrganizationCommand, { type: 'accept-invitation' }>,
): readonly OrganizationEvent[] {
  const { emailHash, userId, now } = command;
  const { invitationId, role } = pendingInvitation(invitations, emailHash, now);
  if (invitationId !== command.invitationId) throw noInvitation();
  const accepted = { organizationId, invitationId, userId };
  return [
    { type: 'InvitationAccepted', data: accepted },
    ...(members.has(userId)
      ? []
      : [
          {
            type: 'UserAddedToOrganization' as const,
            data: { organizationId, userId, role },
          },
        ]),
  ];
}

const ofPerson = (invitations: PendingInvitations, emailHash = ''): readonly Invitation[] =>
  [invitations.get(emailHash)].filter((each) => each !== undefined);

const vouchedForBy = (invitations: PendingInvitations, userId: string): readonly Invitation[] =>
  [...invitations.values()].filter(({ invitedBy }) => invitedBy === userId);

const withdrawAll = (invitations: readonly Invitation[]): readonly OrganizationEvent[] =>
  [...new Set(invitations)].map(withdrawn);

function isLastAdmin(members: ReadonlyMap<string, Role>, userId: string): boolean {
  const admins = [...members].filter(([, role]) => role === 'admin');
  return admins.length === 1 && admins[0]?.[0] === userId;
}

function notAdmin(): MillraceError {
  return new MillraceError('FORBIDDEN', 'only an admin of the organization invites people');
}

function lastAdmin(): MillraceError {
  return new MillraceError(
    'FORBIDDEN',
    'this is the last admin of the organization; make somebody else an admin first',
  );
}
