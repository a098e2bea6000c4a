import fc from 'fast-check';
import {
  organizationAggregate,
  organizationNameProblem,
  type OrganizationCommand,
  type OrganizationEvent,
} from './organization.aggregate.js';

const acme = { id: '01O', name: 'acme', database: 'o_1' };
const created: OrganizationEvent = { type: 'OrganizationCreated', data: acme };

function given(...events: OrganizationEvent[]) {
  const state = events.reduce(organizationAggregate.evolve, organizationAggregate.initialState);
  return {
    state,
    when: (command: OrganizationCommand) => organizationAggregate.decide(state, command),
  };
}

const added = (role: 'admin' | 'viewer'): OrganizationEvent => ({
  type: 'UserAddedToOrganization',
  data: { organizationId: '01O', userId: '01A', role },
});

const admin = (userId: string): OrganizationEvent => ({
  type: 'UserAddedToOrganization',
  data: { organizationId: '01O', userId, role: 'admin' },
});

describe('an organization', () => {
  it('is created once, with its passcode and its founder in the same breath', () => {
    const create: OrganizationCommand = { type: 'create', organization: acme, passcode: 'v1.x' };
    const rotated = {
      type: 'PasscodeRotated',
      data: { organizationId: '01O', passcode: 'v1.x' },
    };
    expect(given().when(create)).toEqual([created, rotated]);
    expect(given().when({ ...create, founder: '01A' })).toEqual([created, rotated, admin('01A')]);
    expect(given(created).when(create)).toEqual([]);
  });

  it('takes a user in, and gives it another role, but says nothing when nothing changes', () => {
    const put: OrganizationCommand = { type: 'put-user', userId: '01A', role: 'viewer' };
    const changed = { ...added('viewer'), type: 'UserRoleChanged' };
    expect(given(created).when(put)).toEqual([added('viewer')]);
    expect(given(created, added('admin'), admin('01B')).when(put)).toEqual([changed]);
    expect(given(created, added('viewer')).when(put)).toEqual([]);
  });

  it('keeps its last admin', () => {
    const demote: OrganizationCommand = { type: 'put-user', userId: '01A', role: 'viewer' };
    const remove: OrganizationCommand = { type: 'remove-user', userId: '01A' };
    const removed = {
      type: 'UserRemovedFromOrganization',
      data: { organizationId: '01O', userId: '01A' },
    };
    const one = given(created, admin('01A'));
    expect(() => one.when(demote)).toThrow(/last admin/);
    expect(() => one.when(remove)).toThrow(/last admin/);
    expect(one.when({ ...remove, evenTheLastAdmin: true })).toEqual([removed]);
    expect(given(created, admin('01A'), admin('01B')).when(remove)).toEqual([removed]);
    expect(given(created, admin('01B')).when(remove)).toEqual([]);
  });

  it('that does not exist takes nobody in', () => {
    const put: OrganizationCommand = { type: 'put-user', userId: '01A', role: 'admin' };
    expect(() => given().when(put)).toThrow(/no such organization/);
  });

  it('knows the last role of each member, and leaves older states alone', () => {
    const before = given(created, added('viewer')).state;
    const after = organizationAggregate.evolve(before, added('admin'));
    expect([before.members.get('01A'), after.members.get('01A')]).toEqual(['viewer', 'admin']);
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
      .map((parts) => parts.join(''));
    fc.assert(fc.property(name, (text) => organizationNameProblem(text) === undefined));
  });

  it('refuses everything else and says the rule', () => {
    const wrong = ['', 'Acme', '_a', '-a', 'a b', 'a.b', 'ä', 'a\n', '../a', 'a'.repeat(64)];
    for (const name of wrong) expect(organizationNameProblem(name)).toMatch(/1 to 63 of a-z, 0-9/);
  });
});
