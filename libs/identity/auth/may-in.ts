import type { Caller, Permission } from '@app/platform';
import { mayDo } from '../aggregates/roles.js';
import type { Organization } from '../projections/organizations.projection.js';

/** Tells whether a caller may do this in an organization. */
export function mayIn(
  { id, members }: Pick<Organization, 'id' | 'members'>,
  caller: Caller,
  permission: Permission,
): boolean {
  const { token } = caller;
  if (token) return token.organizationId === id && token.may.includes(permission);
  const role = members.get(caller.userId);
  return caller.root || (role !== undefined && mayDo(role, permission));
}
