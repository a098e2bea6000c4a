import type { Permission } from '@app/platform';

/** Roles that a membership can have. Root is one account, and not a role. */
export const ROLES = ['admin', 'editor', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const MAY: Readonly<Record<Role, readonly Permission[]>> = {
  admin: ['query', 'view', 'upload', 'configure-streams', 'manage-organization'],
  editor: ['query', 'view', 'upload', 'configure-streams'],
  member: ['query', 'view', 'upload', 'configure-streams'],
  viewer: ['query', 'view'],
};

/** All permissions of a role. */
export const permissionsOf = (role: Role): readonly Permission[] => MAY[role];

export function mayDo(role: Role, permission: Permission): boolean {
  return MAY[role].includes(permission);
}
