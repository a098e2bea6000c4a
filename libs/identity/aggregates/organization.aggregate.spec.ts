import fc from 'fast-check';
import type { OrganizationEvent } from './organization-events.js';
import { displayNameProblem, organizationNameProblem } from './organization-names.js';
import { organizationAggregate, type OrganizationCommand } from './organization.aggregate.js';
import { ROLES, type Role } from './roles.js';

const acme = { id: '01O', name: 'acme', database: 'o_1' };
const created: OrganizationEvent = { type: 'OrganizationCreated', data: acme };

function given(...events: OrganizationEvent[]) {
  const state = events.reduce(organizationAggregate.evolve, organizationAggregate.initialState);
  return {
    state,
    when: (command: OrganizationCommand) => organizationAggregate.decide(state, command),
  };
}

const rotated = (passcode: string): OrganizationEvent => ({
  type: 'PasscodeRotated',
  data: { organizationId: '01O', passcode },
});
const added = (userId: string, role: Role): OrganizationEvent => ({
  type: 'UserAddedToOrganization',
  data: { organizationId: '01O', userId, role },
});
const changed = (userId: string, role: Role): OrganizationEvent => ({
  type: 'UserRoleChanged',
  data: { organizationId: '01O', userId, role },
});
const removed = (userId: string): OrganizationEvent => ({
  type: 'UserRemovedFromOrganization',
  data: { organizationId: '01O', userId },
});
const put = (userId: string, role: Role): OrganizationCommand => ({
  type: 'put-user',
  userId,
  role,
});
const lastAdmin = expect.objectContaining({
  kind: 'FORBIDDEN',
  message: expect.stringContaining('last admin') as string,
}) as Error;

describe('an organization', () => {
  it('is created once, with a passcode, and with its founder as admin', () => {
    const create: OrganizationCommand = { type: 'create', organization: acme, passcode: 'p1' };
    expect(given().when(create)).toEqual([created, rotated('p1')]);
    expect(given().when({ ...create, founder: '01A' })).toEqual([
      created,
      rotated('p1'),
      added('01A', 'admin'),
    ]);
    expect(given(created).when({ ...create, founder: '01B' })).toEqual([]);
  });

  it('gets another passcode', () => {
    const rotate: OrganizationCommand = { type: 'rotate-passcode', passcode: 'p2' };
    expect(given(created, rotated('p1')).when(rotate)).toEqual([rotated('p2')]);
    expect(given(created, rotated('p1'), rotated('p2')).state.passcode).toBe('p2');
  });

  it('takes a user in, and gives it another role, but says nothing when nothing changes', () => {
    expect(given(created).when(put('01A', 'viewer'))).toEqual([added('01A', 'viewer')]);
    const viewer = given(created, added('01A', 'viewer'));
    expect(viewer.when(put('01A', 'admin'))).toEqual([changed('01A', 'admin')]);
    expect(viewer.when(put('01A', 'viewer'))).toEqual([]);
  });

  it('lets a user go, once', () => {
    const remove: OrganizationCommand = { type: 'remove-user', userId: '01A' };
    const member = given(created, added('01A', 'viewer'));
    expect(member.when(remove)).toEqual([removed('01A')]);
    expect(given(created).when(remove)).toEqual([]);
    expect(given(created, added('01A', 'viewer'), removed('01A')).state.members.size).toBe(0);
  });

  it('keeps its last admin, unless the account itself goes', () => {
    const one = given(created, added('01A', 'admin'), added('01B', 'editor'));
    expect(() => one.when(put('01A', 'viewer'))).toThrow(lastAdmin);
    expect(() => one.when({ type: 'remove-user', userId: '01A' })).toThrow(lastAdmin);
    const gone: OrganizationCommand = {
      type: 'remove-user',
      userId: '01A',
      evenTheLastAdmin: true,
    };
    expect(one.when(gone)).toEqual([removed('01A')]);
    const two = given(created, added('01A', 'admin'), added('01B', 'admin'));
    expect(two.when(put('01A', 'viewer'))).toEqual([changed('01A', 'viewer')]);
    expect(two.when({ type: 'remove-user', userId: '01B' })).toEqual([removed('01B')]);
  });

  it('lets root take the last admin away, or make them less', () => {
    const one = given(created, added('01A', 'admin'));
    expect(
      one.when({ ...put('01A', 'viewer'), evenTheLastAdmin: true } as OrganizationCommand),
    ).toEqual([changed('01A', 'viewer')]);
  });

  it('does not take back who has left while their role was changed', () => {
    const command = { ...put('01A', 'viewer'), onlyMembers: true } as OrganizationCommand;
    expect(() => given(created).when(command)).toThrow(
      expect.objectContaining({ kind: 'USER_NOT_FOUND' }) as Error,
    );
  });

  it('that has had an admin is never left without one by any commands', () => {
    const users = fc.constantFrom('01A', '01B', '01C');
    const command: fc.Arbitrary<OrganizationCommand> = fc.oneof(
      fc.tuple(users, fc.constantFrom(...ROLES)).map(([userId, role]) => put(userId, role)),
      users.map((userId) => ({ type: 'remove-user' as const, userId })),
    );
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        let state = given(created, added('01A', 'admin')).state;
        for (const each of commands) {
          try {
            state = organizationAggregate
              .decide(state, each)
              .reduce(organizationAggregate.evolve, state);
          } catch {
            // The command is refused, so nothing has changed.
          }
        }
        return [...state.members.values()].includes('admin');
      }),
    );
  });

  it.each<OrganizationCommand>([
    { type: 'rotate-passcode', passcode: 'p' },
    put('01A', 'admin'),
    { type: 'remove-user', userId: '01A' },
  ])('that does not exist has nothing done to it: $type', (command) => {
    expect(() => given().when(command)).toThrow(
      expect.objectContaining({ kind: 'ORGANIZATION_NOT_FOUND' }) as Error,
    );
  });

  it('knows the last role of each member, and leaves older states alone', () => {
    const before = given(created, added('01A', 'viewer')).state;
    const after = organizationAggregate.evolve(before, changed('01A', 'admin'));
    const gone = organizationAggregate.evolve(after, removed('01A'));
    expect([before, after, gone].map(({ members }) => members.get('01A'))).toEqual([
      'viewer',
      'admin',
      undefined,
    ]);
  });

  it('passes over events that it does not know', () => {
    const { state } = given(created);
    const other = { type: 'CommandRefused', data: {} } as unknown as OrganizationEvent;
    expect(organizationAggregate.evolve(state, other)).toBe(state);
  });
});

describe('organizationNameProblem', () => {
  it('accepts what the rule says', () => {
    const first = 'abcdefghijklmnopqrstuvwxyz0123456789';
    const name = fc
      .tuple(
        fc.constantFrom(...first),
        fc.string({ unit: fc.constantFrom(...first, '_', '-'), maxLength: 62 }),
      )
      .map((texts) => texts.join(''));
    fc.assert(fc.property(name, (text) => organizationNameProblem(text) === undefined));
  });

  it('refuses everything else and says the rule', () => {
    const wrong = ['', 'Acme', '_a', '-a', 'a b', 'a.b', 'ä', 'a\n', '../a', 'a'.repeat(64)];
    for (const name of wrong) expect(organizationNameProblem(name)).toMatch(/1 to 63 of a-z, 0-9/);
  });
});

describe('displayNameProblem', () => {
  it.each(['Acme', 'Söhne & Co. 株式会社', 'x'.repeat(100)])('takes %j', (name) => {
    expect(displayNameProblem(name)).toBeUndefined();
  });

  it.each(['', 'x'.repeat(101), 'a\nb', 'a\u202eb', 'a\u2028b', '\u200b', 'a\0'])(
    'refuses %j',
    (name) => {
      expect(displayNameProblem(name)).toMatch(/^want /);
    },
  );
});

describe('the end of an organization', () => {
  const ended: OrganizationEvent = {
    type: 'OrganizationDeleted',
    data: { organizationId: '01O', name: 'acme', database: 'o_1' },
  };
  const there = given(created, rotated('p'), added('A', 'admin'), added('B', 'viewer'));

  it('comes by root, and by who is an admin when it is decided', () => {
    expect(there.when({ type: 'delete', admin: undefined })).toEqual([ended]);
    expect(there.when({ type: 'delete', admin: 'A' })).toEqual([ended]);
    for (const admin of ['B', 'C'])
      expect(() => there.when({ type: 'delete', admin })).toThrow(
        expect.objectContaining({ kind: 'FORBIDDEN' }) as Error,
      );
  });

  it('leaves nothing of it, and its id to nobody', () => {
    const { state, when } = given(created, rotated('p'), added('A', 'admin'), ended);
    expect(state).toEqual({ ...organizationAggregate.initialState, deleted: true });
    expect(when({ type: 'create', organization: acme, passcode: 'q' })).toEqual([]);
    for (const command of [
      { type: 'delete', admin: undefined },
      { type: 'rename', displayName: 'x' },
      { type: 'rotate-passcode', passcode: 'q' },
      put('C', 'admin'),
    ] as const)
      expect(() => when(command)).toThrow(
        expect.objectContaining({ kind: 'ORGANIZATION_NOT_FOUND' }) as Error,
      );
  });

  it('has nothing to do with what people are shown, which may change before', () => {
    const shown = there.when({ type: 'rename', displayName: 'Acme' });
    expect(shown).toEqual([
      { type: 'OrganizationRenamed', data: { organizationId: '01O', displayName: 'Acme' } },
    ]);
    const renamed = given(created, ...shown);
    expect(renamed.when({ type: 'rename', displayName: 'Acme' })).toEqual([]);
    expect(renamed.when({ type: 'delete', admin: undefined })).toEqual([ended]);
    expect(there.when({ type: 'rename', displayName: 'acme' })).toEqual([]);
  });
});
