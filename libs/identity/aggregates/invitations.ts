import { MillraceError } from '@app/platform';
import type { Role } from './roles.js';

/** An invitation by e-mail. It does not matter whether there is an account with that e-mail. */
export interface Invitation {
  readonly organizationId: string;
  readonly invitationId: string;
  /** Fingerprint of the e-mail. */
  readonly emailHash: string;
  /** The e-mail as it was typed, sealed with a key of the invitation's own. */
  readonly invitee: string;
  readonly role: Role;
  /** The id of the admin who has invited. The invitation ends when they are no admin any more. */
  readonly invitedBy: string;
  /** ISO 8601, UTC, both. */
  readonly invitedAt: string;
  readonly expiresAt: string;
}

export type InvitationEvent =
  UserInvited | InvitationAccepted | InvitationWithdrawn | InvitationExpired;

export interface UserInvited {
  readonly type: 'UserInvited';
  readonly data: Invitation;
}

export interface InvitationAccepted {
  readonly type: 'InvitationAccepted';
  readonly data: {
    readonly organizationId: string;
    readonly invitationId: string;
    readonly userId: string;
  };
}

interface Ended {
  readonly organizationId: string;
  readonly invitationId: string;
}

export interface InvitationWithdrawn {
  readonly type: 'InvitationWithdrawn';
  readonly data: Ended;
}

export interface InvitationExpired {
  readonly type: 'InvitationExpired';
  readonly data: Ended;
}

/** The invitations by fingerprint of the e-mail. Each e-mail has at most one. */
export type PendingInvitations = ReadonlyMap<string, Invitation>;

/** One organization may have so many at a time. */
export const INVITATIONS_MAX = 100;
export const INVITATION_DAYS = 7;

/** The invitations after an event, which may have begun or ended some. It is the same map when the event is about none. */
export function evolveInvitations(
  invitations: PendingInvitations,
  event: InvitationEvent,
): PendingInvitations {
  if (event.type === 'UserInvited')
    return new Map(invitations).set(event.data.emailHash, event.data);
  const { invitationId } = event.data;
  return new Map([...invitations].filter(([, each]) => each.invitationId !== invitationId));
}

/**
 * A pending invitation stays the same, with its expiry. So a person who has declined is not asked
 * again; only the role may change.
 */
export function invite(
  invitations: PendingInvitations,
  wanted: Invitation,
): readonly (UserInvited | InvitationExpired)[] {
  const now = wanted.invitedAt;
  const expired = [...invitations.values()].filter((each) => isOver(each, now));
  const ended = expired.map(({ organizationId, invitationId }): InvitationExpired => ({
    type: 'InvitationExpired',
    data: { organizationId, invitationId },
  }));
  const pending = [...invitations.values()].filter((each) => !isOver(each, now));
  const known = pending.find(({ emailHash }) => emailHash === wanted.emailHash);
  if (known?.role === wanted.role) return ended;
  if (!known && pending.length >= INVITATIONS_MAX) throw tooMany(pending, now);
  const { role, invitedBy } = wanted;
  const data = known ? { ...known, role, invitedBy } : wanted;
  return [...ended, { type: 'UserInvited', data }];
}

/** @throws {MillraceError} INVITATION_NOT_FOUND */
export function pendingInvitation(
  invitations: PendingInvitations,
  emailHash: string,
  now: string,
): Invitation {
  const invitation = invitations.get(emailHash);
  if (!invitation || isOver(invitation, now)) throw noInvitation();
  return invitation;
}

export const withdrawn = ({ organizationId, invitationId }: Invitation): InvitationWithdrawn => ({
  type: 'InvitationWithdrawn',
  data: { organizationId, invitationId },
});

/**
 * The answer is the same if there never was one, if it is over, or if the organization does not
 * exist.
 */
export function noInvitation(): MillraceError {
  return new MillraceError('INVITATION_NOT_FOUND', 'there is no such invitation, or it is over');
}

const isOver = ({ expiresAt }: Invitation, now: string): boolean => expiresAt <= now;

function tooMany(pending: readonly Invitation[], now: string): MillraceError {
  const first = Math.min(...pending.map(({ expiresAt }) => Date.parse(expiresAt)));
  return new MillraceError(
    'TOO_MANY_REQUESTS',
    `the organization has ${INVITATIONS_MAX} pending invitations, and may not have more; withdraw some, or wait until one expires`,
    { retryAfterSeconds: Math.max(1, Math.ceil((first - Date.parse(now)) / 1000)) },
  );
}
