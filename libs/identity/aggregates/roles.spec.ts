import type { Permission } from '@app/platform';
import { mayDo, ROLES, type Role } from './roles.js';

/** Written by hand, not derived from the code that it judges. */
const TABLE: Readonly<Record<Role, Readonly<Record<Permission, boolean>>>> = {
  admin: {
    query: true,
    view: true,
    upload: true,
    'configure-streams': true,
    'manage-organization': true,
  },
  editor: {
    query: true,
    view: true,
    upload: true,
    'configure-streams': true,
    'manage-organization': false,
  },
  member: {
    query: true,
    view: true,
    upload: true,
    'configure-streams': true,
    'manage-organization': false,
  },
  viewer: {
    query: true,
    view: true,
    upload: false,
    'configure-streams': false,
    'manage-organization': false,
  },
};

describe('mayDo', () => {
  it('knows every role of the table and no other', () => {
    expect([...ROLES].sort()).toEqual(Object.keys(TABLE).sort());
  });

  const cases = ROLES.flatMap((role) =>
    (Object.keys(TABLE[role]) as Permission[]).map((permission) => [role, permission] as const),
  );
  it.each(cases)('%s: %s', (role, permission) => {
    expect(mayDo(role, permission)).toBe(TABLE[role][permission]);
  });
});
