import { INVITATIONS_MAX, type Invitation } from './invitations.js';
import type { OrganizationEvent } from './organization-events.js';
import { organizationAggregate, type OrganizationCommand } from './organization.aggregate.js';

const DAY = (day: number): string => new Date(Date.UTC(2026, 0, day)).toISOString();
const FOUNDED: OrganizationEvent[] = [
  { type: 'OrganizationCreated', data: { id: '01O', name: 'acme', database: 'o_1' } },
  {
    type: 'UserAddedToOrganization',
    data: { organizationId: '01O', userId: '01A', role: 'admin' },
  },
];
const wanted = (n: number, more: Partial<Invitation> = {}): Omit<Invitation, 'organizationId'> => ({
  invitationId: `01I${n}`,
  emailHash: `hash${n}`,
  invitee: `sealed${n}`,
  role: 'viewer',
  invitedBy: '01A',
  invitedAt: DAY(1),
  expiresAt: DAY(8),
  ...more,
});
const invite = (invitation: ReturnType<typeof wanted>): OrganizationCommand => ({
  type: 'invite',
  invitation,
});
const invited = (invitation: ReturnType<typeof wanted>): OrganizationEvent => ({
  type: 'UserInvited',
  data: { ...invitation, organizationId: '01O' },
});
const ended = (
  type: 'InvitationWithdrawn' | 'InvitationExpired',
  n: number,
): OrganizationEvent => ({ type, data: { organizationId: '01O', invitationId: `01I${n}` } });
const accept = (n: number, userId: string, now = DAY(2)): OrganizationCommand => ({
  type: 'accept-invitation',
  invitationId: `01I${n}`,
  emailHash: `hash${n}`,
  userId,
  now,
});
const notFound = expect.objectContaining({ kind: 'INVITATION_NOT_FOUND' }) as Error;

function given(...events: OrganizationEvent[]) {
  const state = [...FOUNDED, ...events].reduce(
    organizationAggregate.evolve,
    organizationAggregate.initialState,
  );
  return (command: OrganizationCommand) => organizationAggregate.decide(state, command);
}

describe('an invitation', () => {
  it('is accepted once, by who has that e-mail, and gives the role it says', () => {
    const when = given(invited(wanted(1, { role: 'editor' })));
    const events = when(accept(1, '01B'));
    expect(events).toEqual([
      {
        type: 'InvitationAccepted',
        data: { organizationId: '01O', invitationId: '01I1', userId: '01B' },
      },
      {
        type: 'UserAddedToOrganization',
        data: { organizationId: '01O', userId: '01B', role: 'editor' },
      },
    ]);
    expect(() => given(invited(wanted(1)), ...events)(accept(1, '01B'))).toThrow(notFound);
    expect(() => when(accept(2, '01B'))).toThrow(notFound);
  });

  it('is over when its time is, and makes room for another', () => {
    const when = given(invited(wanted(1)));
    expect(() => when(accept(1, '01B', DAY(8)))).toThrow(notFound);
    expect(() => when({ type: 'withdraw-invitation', emailHash: 'hash1', now: DAY(8) })).toThrow(
      notFound,
    );
    const again = wanted(2, { emailHash: 'hash1', invitedAt: DAY(9), expiresAt: DAY(16) });
    expect(when(invite(again))).toEqual([ended('InvitationExpired', 1), invited(again)]);
  });

  it('stays the one it is when the same e-mail is invited again, but for its role', () => {
    const when = given(invited(wanted(1)));
    const again = { ...wanted(2), emailHash: 'hash1', invitedAt: DAY(3), expiresAt: DAY(10) };
    expect(when(invite(again))).toEqual([]);
    expect(when(invite({ ...again, role: 'admin' }))).toEqual([
      invited(wanted(1, { role: 'admin' })),
    ]);
  });

  it('gives no other role to who is a member already', () => {
    const member: OrganizationEvent = {
      type: 'UserAddedToOrganization',
      data: { organizationId: '01O', userId: '01B', role: 'viewer' },
    };
    const when = given(invited(wanted(1, { role: 'admin' })), member);
    expect(when(accept(1, '01B')).map(({ type }) => type)).toEqual(['InvitationAccepted']);
  });

  it('ends when whom it asks is added or removed otherwise, so that nobody comes back by it', () => {
    const person = { userId: '01B', emailHash: 'hash1' };
    const added = given(invited(wanted(1)))({ type: 'put-user', role: 'editor', ...person });
    expect(added.map(({ type }) => type)).toEqual([
      'UserAddedToOrganization',
      'InvitationWithdrawn',
    ]);
    const [member] = added;
    const removed = given(
      invited(wanted(1)),
      member as OrganizationEvent,
    )({
      type: 'remove-user',
      ...person,
    });
    expect(removed).toContainEqual(ended('InvitationWithdrawn', 1));
  });

  it('ends with its admin, who invites nobody after that', () => {
    const other: OrganizationEvent = {
      type: 'UserAddedToOrganization',
      data: { organizationId: '01O', userId: '01B', role: 'admin' },
    };
    const when = given(other, invited(wanted(1, { invitedBy: '01B' })));
    for (const command of [
      { type: 'remove-user', userId: '01B' },
      { type: 'put-user', userId: '01B', role: 'editor' },
    ] as const)
      expect(when(command)).toContainEqual(ended('InvitationWithdrawn', 1));
    expect(() => given()(invite(wanted(1, { invitedBy: '01B' })))).toThrow(
      expect.objectContaining({ kind: 'FORBIDDEN' }) as Error,
    );
  });

  it('is one of a bounded number; what has expired does not count', () => {
    const full = Array.from({ length: INVITATIONS_MAX }, (_, n) => invited(wanted(n)));
    expect(() => given(...full)(invite(wanted(999)))).toThrow(
      expect.objectContaining({
        kind: 'TOO_MANY_REQUESTS',
        retryAfterSeconds: 7 * 24 * 60 * 60,
      }) as Error,
    );
    const later = wanted(999, { invitedAt: DAY(9), expiresAt: DAY(16) });
    expect(given(...full)(invite(later))).toHaveLength(INVITATIONS_MAX + 1);
  });
});
