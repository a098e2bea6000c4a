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

describe('an organization', () => {
  it('is created once', () => {
    const create: OrganizationCommand = { type: 'create', organization: acme };
    expect(given().when(create)).toEqual([created]);
    expect(given(created).when(create)).toEqual([]);
  });

  it('takes a user in, and gives it another role, but says nothing when nothing changes', () => {
    const add: OrganizationCommand = { type: 'add-user', userId: '01A', role: 'viewer' };
    expect(given(created).when(add)).toEqual([added('viewer')]);
    expect(given(created, added('admin')).when(add)).toEqual([added('viewer')]);
    expect(given(created, added('viewer')).when(add)).toEqual([]);
  });

  it('that does not exist takes nobody in', () => {
    expect(given().when({ type: 'add-user', userId: '01A', role: 'admin' })).toEqual([]);
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
